#include "resource/database/run_databases.h"

#include <fmt/format.h>

#include "resource/redact_json.h"
#include "resource/secret_source.h"

namespace belljar::resource::database {
namespace {

using DatabaseClock = std::chrono::steady_clock;

// Added to the statement's own timeout, after which the database should end it; when both have
// passed, the worker is killed.
constexpr std::chrono::seconds kStartAndEnd{3};
// The person who approves a write must be shown the whole statement.
constexpr std::size_t kMaxWriteBytes = 32U << 10;
constexpr std::size_t kMaxDatabaseName = 256;

std::chrono::microseconds Since(DatabaseClock::time_point begun) {
  return std::chrono::duration_cast<std::chrono::microseconds>(DatabaseClock::now() - begun);
}

Result<Place> PlaceOf(const judgement::policy::DatabaseTerms& terms, Task task) {
  Place place;
  if (!terms.sqlite.empty()) {
    place.where = terms.sqlite;
    return place;
  }
  const bool other = task == Task::kWrite && !terms.write_postgres.empty();
  place.engine = Engine::kPostgres;
  place.where = BJ_TRY(ReadSecret(other ? terms.write_postgres : terms.postgres));
  place.role = task == Task::kWrite ? terms.write_role : terms.role;
  place.unsafe_superuser = terms.unsafe_superuser;
  return place;
}

// Reads and writes of one database share a limit, and so do policies that refer to the same
// database.
DatabaseConnections::Wish WishFor(const DatabaseCall& call,
                                  const judgement::policy::DatabaseTerms& terms) {
  using Use = DatabaseConnections::Use;
  return {call.database, terms.sqlite.empty() ? terms.postgres : terms.sqlite,
          terms.max_connections, call.task == Task::kWrite ? Use::kWrite : Use::kRead};
}

Result<std::string> TextIn(const json::object& params, std::string_view key) {
  const json::value* const value = params.if_contains(key);
  if (value == nullptr || !value->is_string()) {
    return Error(Kind::kInvalid, fmt::format("\"{}\" must be a text", key));
  }
  return std::string(value->get_string());
}

}  // namespace

DatabaseRun::DatabaseRun(DatabaseWorkers& workers, judgement::policy::Databases terms,
                         Shared shared, WaitClock& clock)
    : workers_(workers), terms_(std::move(terms)), shared_(std::move(shared)), clock_(clock) {}

Result<json::object> DatabaseRun::List() {
  BJ_TRY(shared_.counts->CountOther());
  json::array listed;
  for (const auto& [name, terms] : terms_) {
    listed.push_back({{"name", name},
                      {"engine", terms.sqlite.empty() ? "postgres" : "sqlite"},
                      {"writes", terms.write == judgement::policy::DatabaseWrites::kAsk}});
  }
  return json::object{{"databases", std::move(listed)}};
}

Result<DatabaseCall> DatabaseRun::Read(const std::string& method,
                                       const json::object& params) const {
  DatabaseCall call;
  call.database = BJ_TRY(TextIn(params, "database"));
  if (call.database.size() > kMaxDatabaseName) {
    return Error(Kind::kInvalid, "\"database\" must be a name");
  }
  if (method == "databases/describe") {
    call.task = Task::kDescribe;
    return call;
  }
  call.task = method == "databases/write" ? Task::kWrite : Task::kQuery;
  call.sql = BJ_TRY(TextIn(params, "sql"));
  if (const json::value* given = params.if_contains("params")) {
    if (!given->is_array()) return Error(Kind::kInvalid, "\"params\" must be a list");
    call.params = given->get_array();
  }
  if (call.params.size() > kMostParams) {
    return Error(Kind::kInvalid, fmt::format("a statement has at most {} parameters", kMostParams));
  }
  if (call.sql.find('\0') != std::string::npos) {
    return Error(Kind::kInvalid, "a statement holds no NUL");
  }
  return call;
}

Result<json::object> DatabaseRun::Serve(const std::string& method, const json::object& params) {
  if (method == "databases/list") return List();
  if (method != "databases/query" && method != "databases/write" &&
      method != "databases/describe") {
    BJ_TRY(shared_.counts->CountOther());
    return Error(Kind::kInvalid,
                 "there are databases/list, databases/describe, databases/query and "
                 "databases/write");
  }
  auto call = Read(method, params);
  if (!call) {
    BJ_TRY(shared_.counts->CountOther());
    return call.error();
  }
  auto answer = Call(*call);
  if (answer) return answer;
  // Error messages of databases repeat values, so they are redacted too.
  json::value message(answer.error().message());
  RedactJson(shared_.redactor.get(), message);
  return Error(answer.error().kind(), std::string(message.as_string()));
}

// Counts the call, and returns its terms or the reason for a refusal.
Result<const judgement::policy::DatabaseTerms*> DatabaseRun::Admit(const DatabaseCall& call) {
  const auto terms = terms_.find(call.database);
  if (terms == terms_.end()) {
    BJ_TRY(shared_.counts->CountOther());
    return Error(Kind::kDenied, "the policy lists no such database");
  }
  BJ_TRY(shared_.counts->Count("the database " + call.database, terms->second.max_calls,
                               terms->second.calls_per_minute));
  return &terms->second;
}

Result<json::object> DatabaseRun::Call(const DatabaseCall& call) {
  const auto terms = Admit(call);
  if (!terms && !told_refusals_.Take()) return terms.error();
  DatabaseRecord record{call, ""};
  const auto begun = DatabaseClock::now();
  auto answer = terms ? CallCounted(call, **terms, record) : Result<json::object>(terms.error());
  record.took = Since(begun);
  record.outcome = answer ? "ok" : KindName(answer.error().kind());
  if (!answer && answer.error().kind() == Kind::kDenied && !record.committing) {
    record.made = false;
  }
  const auto recorded = shared_.hooks.record(record);
  if (!recorded)
    return Error(Kind::kUnavailable, "the call cannot be recorded: " + recorded.error().message());
  return answer;
}

Result<json::object> DatabaseRun::CallCounted(const DatabaseCall& call,
                                              const judgement::policy::DatabaseTerms& terms,
                                              DatabaseRecord& record) {
  const RunCalls::Call under_way(calls_, [&] { return IsStillAllowed(call); });
  auto answer = [&]() -> Result<json::object> {
    if (under_way.stopped()) return RunIsOver();
    BJ_TRY(Authorise(call, terms));
    return Perform(call, terms, under_way, record);
  }();
  if (!answer && !record.committing) return under_way.Why(answer.error());
  return answer;
}

bool DatabaseRun::IsStillAllowed(const DatabaseCall& call) const {
  return shared_.hooks.still_allowed(call.database, std::string(TaskName(call.task)));
}

Result<> DatabaseRun::Authorise(const DatabaseCall& call,
                                const judgement::policy::DatabaseTerms& terms) const {
  const bool writes = call.task == Task::kWrite;
  if (writes && terms.write != judgement::policy::DatabaseWrites::kAsk) {
    return Error(Kind::kDenied,
                 fmt::format("the policy does not let {} be written to", call.database));
  }
  const std::size_t most = writes ? kMaxWriteBytes : kMaxStatementBytes;
  const std::size_t size = call.sql.size() + json::serialize(call.params).size();
  if (size > most) {
    return Error(Kind::kInvalid,
                 fmt::format("the statement and its parameters take {} bytes; {} are allowed{}",
                             size, most, writes ? ", since a person reads them" : ""));
  }
  if (!IsStillAllowed(call)) return TakenAway();
  return {};
}

Result<json::object> DatabaseRun::Perform(const DatabaseCall& call,
                                          const judgement::policy::DatabaseTerms& terms,
                                          const RunCalls::Call& under_way, DatabaseRecord& record) {
  Job job;
  job.place = BJ_TRY(PlaceOf(terms, call.task));
  job.task = call.task;
  if (shared_.hooks.left_out.Has(Control::kReadOnly)) job.task = Task::kWrite;
  job.sql = call.sql;
  job.params = call.params;
  job.bounds = {terms.max_rows, terms.max_bytes, terms.timeout, terms.hold};
  const DatabaseConnections::Wish wish = WishFor(call, terms);
  const DatabaseConnections::Turn turn =
      BJ_TRY(workers_.connections().Take(wish, terms.timeout, under_way.stop()));
  const mcp::Patience patience{DatabaseClock::now() + terms.timeout + kStartAndEnd,
                               under_way.stop()};
  const auto worker = BJ_TRY(workers_.Start());
  ++made_;
  record.made = true;
  auto answer = worker->Do(job, patience);
  if (!answer) {
    workers_.Tell(call.database, *worker);
    return answer.error();
  }
  record.rows = answer->at("rows").get_array().size();
  record.truncated = answer->at("truncated").get_bool();
  record.changed = static_cast<std::uint64_t>(answer->at("changed").get_int64());
  json::value told(*std::move(answer));
  record.result_bytes = json::serialize(told).size();
  if (call.task == Task::kWrite) BJ_TRY(Settle(call, terms, under_way, record, *worker));
  RedactJson(shared_.redactor.get(), told);
  if (call.task == Task::kDescribe) {
    return json::object{{"tables", told.at("rows")}, {"truncated", told.at("truncated")}};
  }
  return std::move(told.get_object());
}

Result<> DatabaseRun::Settle(const DatabaseCall& call,
                             const judgement::policy::DatabaseTerms& terms,
                             const RunCalls::Call& under_way, DatabaseRecord& record,
                             DatabaseWorker& worker) {
  const auto begun = DatabaseClock::now();
  Result<> agreed = [&] {
    const WaitClock::Waiting waiting(clock_);
    if (shared_.hooks.left_out.Has(Control::kWriteQuestion)) return Result<>();
    return shared_.hooks.ask({call, record.changed, terms.hold}, under_way.stop());
  }();
  record.asked = Since(begun);
  BJ_TRY(std::move(agreed));
  // The policy may have changed while the person decided.
  if (!IsStillAllowed(call)) return TakenAway();
  if (under_way.stopped()) return RunIsOver();
  // From here on the call is not cancelled, because the outcome of the COMMIT would be unknown.
  record.committing = true;
  return worker.Commit({DatabaseClock::now() + terms.timeout + kStartAndEnd, {}});
}

}  // namespace belljar::resource::database
