// DatabaseRun: what one run may ask of databases, and the answers.
//
// Each statement is counted, judged by the policy, run in a process of its own by a login that the
// cell never sees, measured and redacted, and what became of it is written down. A write is run in
// a transaction first; a person is shown the statement and how many rows it has changed, and it is
// committed if they agree.
//
// Thread-safe: each connection of the cell has a thread at a time.
#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <string>

#include "base/json.h"
#include "broker/databases_workers.h"
#include "broker/left_out.h"
#include "broker/run_calls.h"
#include "broker/tools_counts.h"
#include "policy/databases.h"
#include "redact/redactor.h"

namespace belljar::broker {

struct DatabaseCall {
  std::string database;
  database::Task task = database::Task::kQuery;
  std::string sql;
  json::array params;
};
// "query", "write" or "describe".
std::string_view TaskName(database::Task task);

// What is written down of a call.
struct DatabaseRecord {
  const DatabaseCall& call;
  std::string outcome;  // "ok", or the kind of what prevented it
  std::uint64_t rows = 0;
  std::uint64_t changed = 0;
  bool truncated = false;
  std::size_t result_bytes = 0;
  std::chrono::microseconds asked{0};  // of `took`, for a person's answer
  std::chrono::microseconds took{0};
  bool made = false;        // the database was asked, and nobody refused what it did
  bool committing = false;  // somebody has said yes, and the database was told
};

// What a person is asked about: it has been run, and is not committed.
struct DatabaseWrite {
  const DatabaseCall& call;
  std::uint64_t changed = 0;
  std::chrono::milliseconds hold;  // how long it stays open for an answer
};

// What the engine knows and the broker does not.
struct DatabaseHooks {
  // Whether the policy as it is now still has the database, and writes to it where `task` is
  // "write".
  std::function<bool(const std::string& database, const std::string& task)> still_allowed;
  // Returns when a person has agreed; otherwise why not: kDenied.
  std::function<Result<>(const DatabaseWrite&, const std::stop_token&)> ask;
  // Durable before the run's own result if it was made, else when it returns.
  std::function<Result<>(const DatabaseRecord&)> record;
  LeftOut left_out;
};

class DatabaseRun {
 public:
  struct Shared {
    DatabaseHooks hooks;
    std::shared_ptr<const redact::Redactor> redactor;  // null: results pass as they are
    std::shared_ptr<ToolCounts> counts;                // with the cell's other runs
  };
  // `workers` and `clock` must outlive it.
  DatabaseRun(DatabaseWorkers& workers, policy::Databases terms, Shared shared, WaitClock& clock);

  Result<json::object> Serve(const std::string& method, const json::object& params);
  void Recheck() { calls_.Recheck(); }

  RunCalls& calls() { return calls_; }
  std::uint64_t made() const { return made_; }

 private:
  Result<json::object> List();
  Result<DatabaseCall> Read(const std::string& method, const json::object& params) const;
  Result<const policy::DatabaseTerms*> Admit(const DatabaseCall& call);
  Result<json::object> Call(const DatabaseCall& call);
  Result<json::object> CallCounted(const DatabaseCall& call, const policy::DatabaseTerms& terms,
                                   DatabaseRecord& record);
  bool IsStillAllowed(const DatabaseCall& call) const;
  Result<> Authorise(const DatabaseCall& call, const policy::DatabaseTerms& terms) const;
  Result<json::object> Perform(const DatabaseCall& call, const policy::DatabaseTerms& terms,
                               const RunCalls::Call& under_way, DatabaseRecord& record);
  Result<> Settle(const DatabaseCall& call, const policy::DatabaseTerms& terms,
                  const RunCalls::Call& under_way, DatabaseRecord& record, DatabaseWorker& worker);

  DatabaseWorkers& workers_;
  const policy::Databases terms_;
  const Shared shared_;
  WaitClock& clock_;
  RunCalls calls_;
  std::atomic<std::uint64_t> made_{0};
  ToldRefusals told_refusals_;
};

}  // namespace belljar::broker
