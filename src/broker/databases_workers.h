// DatabaseWorkers: processes in which statements are run, one each (database/worker.h says why).
//
// A worker is not trusted: a file or a server may have taken it over. Its answer has a greatest
// length and a form, and when its time is over it is killed.
//
// Thread-safe.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "broker/databases_connections.h"
#include "database/job.h"
#include "mcp/channel.h"
#include "mcp/child.h"

namespace belljar::broker {

// One of them. It ends, and what was not committed with it, when this goes.
class DatabaseWorker {
 public:
  // Sends it the job and returns its answer: {"columns", "rows", "truncated", "changed"}.
  Result<json::object> Do(const database::Job& job, const mcp::Patience& patience);
  // After an answer to a write.
  Result<> Commit(const mcp::Patience& patience);

 private:
  friend class DatabaseWorkers;
  explicit DatabaseWorker(mcp::Child child) : child_(std::move(child)) {}
  Result<> Send(std::string_view bytes, const mcp::Patience& patience);
  Result<json::object> Receive(const mcp::Patience& patience);
  Result<> Await(const Fd& fd, short events, const mcp::Patience& patience);
  std::string Errors() const;

  mcp::Child child_;
  std::size_t most_ = 0;  // bytes of an answer
  std::string held_;
};

class DatabaseWorkers {
 public:
  // What could not be told to a program, for the log.
  using OnLog = std::function<void(const std::string& database, std::string_view line)>;

  // `command` is the program that is a worker.
  DatabaseWorkers(std::vector<std::string> command, OnLog on_log)
      : command_(std::move(command)), on_log_(std::move(on_log)) {}

  Result<std::unique_ptr<DatabaseWorker>> Start() const;
  void Tell(const std::string& database, const DatabaseWorker& worker) const;
  // To be taken before a worker is started, and kept until it has ended.
  DatabaseConnections& connections() { return connections_; }

 private:
  const std::vector<std::string> command_;
  const OnLog on_log_;
  DatabaseConnections connections_;
};

}  // namespace belljar::broker
