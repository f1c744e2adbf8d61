// DatabaseRun: executes the database statements of one run and returns their answers.
//
// Each statement is counted, checked against the policy, run in a process of its own under a login
// that the cell never sees, limited in size, redacted, and recorded in the audit log. A write is
// first run in an open transaction; a person is shown the statement and the number of changed rows,
// and the transaction is committed if they approve.
//
// Thread-safe: the cell's connections are served by several threads.
#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <string>

#include "foundation/base/json.h"
#include "judgement/policy/databases.h"
#include "judgement/redaction/redactor.h"
#include "resource/call_counts.h"
#include "resource/database/workers.h"
#include "resource/run_calls.h"
#include "resource/test_switches.h"

namespace belljar::resource::database {

struct DatabaseCall {
  std::string database;
  Task task = Task::kQuery;
  std::string sql;
  json::array params;
};

// What the audit log records about a call.
struct DatabaseRecord {
  const DatabaseCall& call;
  std::string outcome;  // "ok", or the kind of the error
  std::uint64_t rows = 0;
  std::uint64_t changed = 0;
  bool truncated = false;
  std::size_t result_bytes = 0;
  std::chrono::microseconds asked{0};  // the part of `took` spent waiting for a person
  std::chrono::microseconds took{0};
  bool made = false;        // the statement was run, and the write was not refused
  bool committing = false;  // a person approved, and COMMIT was sent
};

// A write for a person to approve: it has been run and is not committed.
struct DatabaseWrite {
  const DatabaseCall& call;
  std::uint64_t changed = 0;
  std::chrono::milliseconds hold;  // how long the transaction stays open for an answer
};

// Callbacks into the engine.
struct DatabaseHooks {
  // Whether the current policy still has the database and, if `task` is "write", still allows
  // writes to it.
  std::function<bool(const std::string& database, const std::string& task)> still_allowed;
  // Blocks until a person decides. Success means approval; a refusal is kDenied.
  std::function<Result<>(const DatabaseWrite&, const std::stop_token&)> ask;
  // Records a call. If the statement was run, the record is durable before the run's result is
  // returned; otherwise when this call returns.
  std::function<Result<>(const DatabaseRecord&)> record;
  TestSwitches left_out;
};

class DatabaseRun {
 public:
  struct Shared {
    DatabaseHooks hooks;
    std::shared_ptr<const judgement::redaction::Redactor>
        redactor;                        // null: results are not redacted
    std::shared_ptr<ToolCounts> counts;  // shared with the cell's other runs
  };
  // `workers` and `clock` must outlive this object.
  DatabaseRun(DatabaseWorkers& workers, judgement::policy::Databases terms, Shared shared,
              WaitClock& clock);

  Result<json::object> Serve(const std::string& method, const json::object& params);
  void Recheck() { calls_.Recheck(); }

  RunCalls& calls() { return calls_; }
  std::uint64_t made() const { return made_; }

 private:
  Result<json::object> List();
  Result<DatabaseCall> Read(const std::string& method, const json::object& params) const;
  Result<const judgement::policy::DatabaseTerms*> Admit(const DatabaseCall& call);
  Result<json::object> Call(const DatabaseCall& call);
  Result<json::object> CallCounted(const DatabaseCall& call,
                                   const judgement::policy::DatabaseTerms& terms,
                                   DatabaseRecord& record);
  bool IsStillAllowed(const DatabaseCall& call) const;
  Result<> Authorise(const DatabaseCall& call, const judgement::policy::DatabaseTerms& terms) const;
  Result<json::object> Perform(const DatabaseCall& call,
                               const judgement::policy::DatabaseTerms& terms,
                               const RunCalls::Call& under_way, DatabaseRecord& record);
  Result<> Settle(const DatabaseCall& call, const judgement::policy::DatabaseTerms& terms,
                  const RunCalls::Call& under_way, DatabaseRecord& record, DatabaseWorker& worker);

  DatabaseWorkers& workers_;
  const judgement::policy::Databases terms_;
  const Shared shared_;
  WaitClock& clock_;
  RunCalls calls_;
  std::atomic<std::uint64_t> made_{0};
  ToldRefusals told_refusals_;
};

}  // namespace belljar::resource::database
