// ToolSeat: one cell's place at the desk: its socket, its connections, and the run they belong to.
//
// A cell keeps its seat as long as it lives; in a session the runs follow one another on it. What
// is asked while no run goes on is refused. Thread-safe.
#pragma once

#include <condition_variable>
#include <list>
#include <memory>
#include <mutex>

#include "base/fd.h"
#include "broker/tools_run.h"

namespace belljar::broker {

class ToolDesk;

class ToolSeat {
 public:
  // Takes everything off the desk: gives up what is under way and closes the connections.
  ~ToolSeat();
  ToolSeat(const ToolSeat&) = delete;
  ToolSeat& operator=(const ToolSeat&) = delete;

  // From now on what is asked is asked by this run.
  void Begin(std::shared_ptr<ToolRun> run);
  // Gives up what is under way, and waits until it is over: what follows is said of no call.
  void End();

  const std::shared_ptr<ToolCounts>& counts() const { return counts_; }

 private:
  friend class ToolDesk;
  explicit ToolSeat(ToolDesk& desk) : desk_(desk) {}
  std::string Answer(std::string_view line);

  ToolDesk& desk_;
  std::uint64_t number_ = 0;  // the desk's own, as what follows
  const std::shared_ptr<ToolCounts> counts_ = std::make_shared<ToolCounts>();  // shared with runs
  std::mutex mutex_;
  std::condition_variable answered_;
  std::shared_ptr<ToolRun> run_;  // shared with the threads that answer for it
  std::size_t answering_ = 0;
};

}  // namespace belljar::broker
