// DatabaseWorkers: processes that each run one statement (database/worker.h explains why).
//
// A worker is not trusted, because a hostile file or server may have taken it over. Its answers are
// limited in length and validated, and it is killed when its time is over.
//
// Thread-safe.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "resource/database/connections.h"
#include "resource/database/job.h"
#include "resource/mcp/channel.h"
#include "resource/mcp/child.h"

namespace belljar::resource::database {

// One worker process. Destroying this object ends it; an uncommitted write is rolled back.
class DatabaseWorker {
 public:
  // Sends the job to the worker and returns its answer: {"columns", "rows", "truncated",
  // "changed"}.
  Result<json::object> Do(const Job& job, const mcp::Patience& patience);
  // Commits the write whose answer was returned before.
  Result<> Commit(const mcp::Patience& patience);

 private:
  friend class DatabaseWorkers;
  explicit DatabaseWorker(mcp::Child child) : child_(std::move(child)) {}
  Result<> Send(std::string_view bytes, const mcp::Patience& patience);
  Result<json::object> Receive(const mcp::Patience& patience);
  Result<> Await(const Fd& fd, short events, const mcp::Patience& patience);
  std::string Errors() const;

  mcp::Child child_;
  std::size_t most_ = 0;  // the maximum size of an answer in bytes
  std::string held_;
};

class DatabaseWorkers {
 public:
  // Receives log lines with details that are not reported to the guest's program.
  using OnLog = std::function<void(const std::string& database, std::string_view line)>;

  // `command` starts a worker process.
  DatabaseWorkers(std::vector<std::string> command, OnLog on_log)
      : command_(std::move(command)), on_log_(std::move(on_log)) {}

  Result<std::unique_ptr<DatabaseWorker>> Start() const;
  void Tell(const std::string& database, const DatabaseWorker& worker) const;
  // A turn must be taken before a worker is started, and kept until the worker has ended.
  DatabaseConnections& connections() { return connections_; }

 private:
  const std::vector<std::string> command_;
  const OnLog on_log_;
  DatabaseConnections connections_;
};

}  // namespace belljar::resource::database
