// CellToolEndpoint: one cell's registration at the ToolCallServer: its socket, its connections, and
// the current run.
//
// A seat lives as long as its cell; the runs of a session use it one after the other. Requests that
// arrive while no run is active are refused. Thread-safe.
#pragma once

#include <condition_variable>
#include <list>
#include <memory>
#include <mutex>

#include "foundation/base/fd.h"
#include "resource/tools/run_tools.h"

namespace belljar::resource::tools {

class ToolCallServer;

class CellToolEndpoint {
 public:
  // Unregisters from the desk: cancels calls in progress and closes the connections.
  ~CellToolEndpoint();
  CellToolEndpoint(const CellToolEndpoint&) = delete;
  CellToolEndpoint& operator=(const CellToolEndpoint&) = delete;

  // From now on requests belong to this run.
  void Begin(std::shared_ptr<ToolRun> run);
  // Ends the run: cancels its calls in progress, and returns when they have ended.
  void End();

  const std::shared_ptr<ToolCounts>& counts() const { return counts_; }

 private:
  friend class ToolCallServer;
  explicit CellToolEndpoint(ToolCallServer& desk) : desk_(desk) {}
  std::string Answer(std::string_view line);

  ToolCallServer& desk_;
  // The desk's number for it, guarded by the desk, as are the members below.
  std::uint64_t number_ = 0;
  const std::shared_ptr<ToolCounts> counts_ = std::make_shared<ToolCounts>();  // shared with runs
  std::mutex mutex_;
  std::condition_variable answered_;
  std::shared_ptr<ToolRun> run_;  // shared with the threads that answer for it
  std::size_t answering_ = 0;
};

}  // namespace belljar::resource::tools
