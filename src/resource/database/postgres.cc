// PostgreSQL backend of Transaction. The server itself restricts what a statement can do, in this
// order (docs/databases.md describes the attacks, and
// docs/decisions/046-statements-cannot-write-to-postgresql.md what was tried):
//
//   - BEGIN READ ONLY, followed by a query of ours. After its first query the server does not let a
//     transaction become read-write, by any function or statement.
//   - PREPARE ... AS the program's text, sent as one message of the extended protocol. The server's
//     own parser then accepts only one SELECT, VALUES, INSERT, UPDATE, DELETE or MERGE:
//     no COMMIT, no DO, no CALL, no COPY, no SET, no second statement.
//   - The prepared statement is executed row by row, and the connection is closed. A read is never
//     committed; a write is committed only by Commit().
//
// What a statement can see is restricted only by the rights of the login, because a function can
// reset a role that was set. A login that is or could become a superuser is refused.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <mutex>

#include "foundation/base/text.h"
#include "resource/database/postgres_values.h"
#include "resource/database/transaction.h"

namespace belljar::resource::database {
namespace {

using storage::Libpq;

constexpr int kOldestServer = 120'000;  // version 12
constexpr int kNoticesWhoHangsUp = 140'000;
constexpr std::size_t kMaxMessage = 1'000;

constexpr char kPostgresTables[] =
    "SELECT n.nspname::text, c.relname::text, CASE WHEN c.relkind IN ('v', 'm') THEN 'view' ELSE "
    "'table' END, a.attname::text, format_type(a.atttypid, a.atttypmod), NOT a.attnotnull "
    "FROM pg_catalog.pg_attribute a JOIN pg_catalog.pg_class c ON c.oid = a.attrelid "
    "JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace "
    "WHERE c.relkind IN ('r', 'v', 'm', 'f', 'p') AND a.attnum > 0 AND NOT a.attisdropped "
    "AND n.nspname !~ '^pg_' AND n.nspname <> 'information_schema' "
    "AND has_schema_privilege(n.oid, 'USAGE') "
    "AND has_column_privilege(c.oid, a.attnum, 'SELECT') ORDER BY 1, 2, a.attnum";

// Finds a role with dangerous rights that the login has, or could switch to.
constexpr char kTooMighty[] =
    "SELECT r.rolname FROM pg_catalog.pg_roles r WHERE pg_has_role(session_user, r.oid, 'MEMBER') "
    "AND (r.rolsuper OR r.rolreplication OR r.rolname IN ('pg_read_server_files', "
    "'pg_write_server_files', 'pg_execute_server_program', 'pg_signal_backend')) "
    "ORDER BY r.rolsuper DESC LIMIT 1";

// Counts the rows changed in this transaction: in user tables, and in system catalogues.
constexpr char kCountRows[] =
    "SELECT coalesce(sum(n) FILTER (WHERE schemaname <> 'pg_catalog'), 0), "
    "coalesce(sum(n) FILTER (WHERE schemaname = 'pg_catalog'), 0), "
    "pg_catalog.current_setting('track_counts'), "
    // Changed rows of foreign tables are not counted; a write to one is detected by its lock.
    "(SELECT count(*) FROM pg_catalog.pg_locks l JOIN pg_catalog.pg_class c ON c.oid = l.relation "
    "WHERE l.pid = pg_catalog.pg_backend_pid() AND c.relkind = 'f' "
    "AND l.mode NOT IN ('AccessShareLock', 'RowShareLock')) "
    "FROM (SELECT schemaname, n_tup_ins + n_tup_upd + n_tup_del AS n "
    "FROM pg_catalog.pg_stat_xact_all_tables WHERE schemaname <> 'pg_toast') AS counted";

std::string FirstLine(std::string_view text) {
  text = text.substr(0, std::min(text.find('\n'), kMaxMessage));
  return ToValidUtf8(text).text;
}

Kind KindOfState(std::string_view state) {
  const std::string_view family = state.substr(0, 2);
  if (state == "08P01") return Kind::kInvalid;  // wrong number of parameters
  if (state == "42501" || state == "25006" || family == "28") return Kind::kDenied;
  if (state == "57014" || family == "53" || family == "54") return Kind::kExhausted;
  if (family == "08" || family == "57" || family == "58" || family == "40" || state == "55P03") {
    return Kind::kUnavailable;
  }
  return Kind::kInvalid;  // most likely a mistake in the program's statement
}

void SwallowNotices(void*, const char*) {}

class PostgresTransaction final : public Transaction {
 public:
  PostgresTransaction(const Libpq& pq, PGconn* connection)
      : pq_(pq), connection_(connection), cancel_(pq.PQgetCancel(connection)) {}
  PostgresTransaction(const PostgresTransaction&) = delete;
  PostgresTransaction& operator=(const PostgresTransaction&) = delete;
  ~PostgresTransaction() override {
    pq_.PQfreeCancel(cancel_);
    pq_.PQfinish(connection_);
  }

  Result<> Prepare(const Job& job);
  Result<Answer> Run(const Job& job) override;
  Result<> Commit() override;
  void Interrupt() override;

 private:
  struct Clear {
    const Libpq* pq;
    void operator()(PGresult* result) const { pq->PQclear(result); }
  };
  using ResultPtr = std::unique_ptr<PGresult, Clear>;

  Result<ResultPtr> Ask(const std::string& sql, const std::vector<std::string>& params = {});
  Result<ResultPtr> Checked(PGresult* result);
  Error Failure(const PGresult* result);
  Result<> RefuseMighty(const Place& place);
  Result<Answer> Collect(const Job& job);
  Result<> SetTimes(const Bounds& bounds);
  Result<> CloseWrite(const Job& job, Answer& answer);
  Result<> CountRows(Answer& answer);

  const Libpq pq_;
  PGconn* const connection_;
  PGcancel* const cancel_;
};

Error PostgresTransaction::Failure(const PGresult* result) {
  const char* const code = pq_.PQresultErrorField(result, PG_DIAG_SQLSTATE);
  const char* const text = pq_.PQresultErrorField(result, PG_DIAG_MESSAGE_PRIMARY);
  // An error without an SQLSTATE comes from libpq: the connection broke, or memory ran out.
  if (code == nullptr || text == nullptr) {
    const std::string said = FirstLine(pq_.PQerrorMessage(connection_));
    if (said.find("memory") != std::string::npos) {
      return Error(Kind::kExhausted, "a row was too large to take: " + said);
    }
    return Error(Kind::kUnavailable, "the connection broke: " + said);
  }
  const std::string_view state(code);
  std::string message = FirstLine(text);
  if (state == "57014") message = "the statement took longer than the policy allows";
  if (state == "25006") message += ": a query reads, and a write is asked for by write()";
  if (state == "42601") {
    message +=
        " (one statement is taken, which begins with SELECT, VALUES, TABLE, WITH, INSERT, "
        "UPDATE, DELETE or MERGE)";
  }
  return Error(KindOfState(state), std::move(message));
}

Result<PostgresTransaction::ResultPtr> PostgresTransaction::Checked(PGresult* result) {
  ResultPtr held(result, Clear{&pq_});
  const ExecStatusType status = pq_.PQresultStatus(result);
  if (status == PGRES_TUPLES_OK || status == PGRES_COMMAND_OK) return held;
  return Failure(result);
}

// Runs one of our own statements.
Result<PostgresTransaction::ResultPtr> PostgresTransaction::Ask(
    const std::string& sql, const std::vector<std::string>& params) {
  std::vector<const char*> values;
  for (const std::string& param : params) values.push_back(param.c_str());
  return Checked(pq_.PQexecParams(connection_, sql.c_str(), static_cast<int>(params.size()),
                                  nullptr, values.data(), nullptr, nullptr, 0));
}

Result<> PostgresTransaction::RefuseMighty(const Place& place) {
  const ResultPtr found = BJ_TRY(Ask(kTooMighty));
  if (pq_.PQntuples(found.get()) == 0 || place.unsafe_superuser) return {};
  return Error(Kind::kDenied,
               fmt::format("its login has, or can take, the rights of {}: connect as a role that "
                           "cannot (docs/databases.md has the statements for one)",
                           ToValidUtf8(pq_.PQgetvalue(found.get(), 0, 0)).text));
}

// Server-side timeouts: if this process dies without closing the connection, the server ends the
// transaction.
Result<> PostgresTransaction::SetTimes(const Bounds& bounds) {
  const std::string timeout = std::to_string(bounds.timeout.count());
  const std::string hold = std::to_string((bounds.hold + bounds.timeout).count());
  BJ_TRY(
      Ask("SELECT set_config('statement_timeout', $1, false), set_config('lock_timeout', $1, "
          "false), set_config('idle_in_transaction_session_timeout', $2, false)",
          {timeout, hold}));
  return {};
}

Result<> PostgresTransaction::Prepare(const Job& job) {
  pq_.PQsetNoticeProcessor(connection_, SwallowNotices, nullptr);
  if (pq_.PQserverVersion(connection_) < kOldestServer) {
    return Error(Kind::kUnavailable, "the server is older than PostgreSQL 12");
  }
  const bool writes = job.task == Task::kWrite;
  BJ_TRY(SetTimes(job.bounds));
  BJ_TRY(
      Ask("SELECT set_config('default_transaction_read_only', $1, false), "
          "set_config('bytea_output', 'hex', false), set_config('datestyle', 'ISO', false)",
          {writes ? "off" : "on"}));
  if (pq_.PQserverVersion(connection_) >= kNoticesWhoHangsUp) {
    BJ_TRY(Ask("SET client_connection_check_interval = 500"));
  }
  BJ_TRY(Ask(writes ? "BEGIN READ WRITE" : "BEGIN READ ONLY"));
  BJ_TRY(RefuseMighty(job.place));  // inside the transaction: after this query it stays read-only
  if (!job.place.role.empty()) BJ_TRY(Ask("SELECT set_config('role', $1, true)", {job.place.role}));
  return {};
}

Result<Answer> PostgresTransaction::Run(const Job& job) {
  if (job.task == Task::kDescribe) {
    Job described = job;
    described.sql = kPostgresTables;
    described.params.clear();
    described.task = Task::kQuery;
    Answer answer = BJ_TRY(Run(described));
    answer.rows = GroupColumns(answer.rows);
    return answer;
  }
  BJ_TRY(Ask("PREPARE belljar AS " + job.sql));
  const PostgresParams params = BJ_TRY(PostgresParams::From(job.params));
  const auto values = params.values();
  const auto lengths = params.lengths();
  if (pq_.PQsendQueryPrepared(connection_, "belljar", params.count(), values.data(), lengths.data(),
                              params.formats(), 0) == 0) {
    return Error(Kind::kUnavailable, FirstLine(pq_.PQerrorMessage(connection_)));
  }
  // Single-row mode: a large result is never held in memory as a whole.
  pq_.PQsetSingleRowMode(connection_);
  Answer answer = BJ_TRY(Collect(job));
  if (job.task == Task::kWrite) BJ_TRY(CloseWrite(job, answer));
  return answer;
}

Result<Answer> PostgresTransaction::Collect(const Job& job) {
  Rows rows(job.bounds);
  json::array columns;
  std::uint64_t changed = 0;
  for (;;) {
    const ResultPtr result(pq_.PQgetResult(connection_), Clear{&pq_});
    if (!result) break;
    const ExecStatusType status = pq_.PQresultStatus(result.get());
    if (status == PGRES_FATAL_ERROR) return Failure(result.get());
    const bool told = status == PGRES_SINGLE_TUPLE || status == PGRES_TUPLES_OK;
    if (!told && status != PGRES_COMMAND_OK) {
      return Error(Kind::kInvalid, "the server answers in a way that is not a statement's");
    }
    if (columns.empty()) columns = ColumnsOf(pq_, result.get());
    for (int i = 0; i < pq_.PQntuples(result.get()); ++i) {
      json::array row = BJ_TRY(RowOf(pq_, result.get(), i));
      const bool room = BJ_TRY(rows.Add(std::move(row)));
      if (room || job.task == Task::kWrite) continue;
      Interrupt();  // further rows are not needed; the connection is closed anyway
      return std::move(rows).Finish(std::move(columns));
    }
    const std::string_view tag = pq_.PQcmdStatus(result.get());
    if (status != PGRES_SINGLE_TUPLE && !tag.starts_with("SELECT")) {
      changed = std::strtoull(pq_.PQcmdTuples(result.get()), nullptr, 10);
    }
  }
  Answer answer = std::move(rows).Finish(std::move(columns));
  answer.changed = changed;
  return answer;
}

// Completes a write before a person is asked. Deferred constraints are checked now, and all changed
// rows are counted, including those changed by functions, triggers and parts of the statement whose
// number it does not report. Settings that the statement may have changed are reset, because the
// timeouts must hold while the person decides.
Result<> PostgresTransaction::CloseWrite(const Job& job, Answer& answer) {
  BJ_TRY(Ask("SET CONSTRAINTS ALL IMMEDIATE"));
  // With this search path our own queries cannot call functions that the statement has created
  // under the same names.
  BJ_TRY(Ask("SET LOCAL search_path = pg_catalog"));
  BJ_TRY(SetTimes(job.bounds));
  const auto counted = CountRows(answer);
  if (!counted || pq_.PQtransactionStatus(connection_) != PQTRANS_INTRANS) answer = {};
  BJ_TRY(counted);
  if (pq_.PQtransactionStatus(connection_) == PQTRANS_INTRANS) return {};
  return Error(Kind::kDenied, "the statement has ended its own transaction");
}

// Refuses changes to system catalogues, which result from creating, altering or truncating tables
// and from large objects: the number of affected rows could not be shown to the person.
Result<> PostgresTransaction::CountRows(Answer& answer) {
  const ResultPtr counted = BJ_TRY(Ask(kCountRows));
  if (pq_.PQntuples(counted.get()) != 1) return Error(Kind::kUnavailable, "rows were not counted");
  const auto number = [&](int column) {
    return std::strtoull(pq_.PQgetvalue(counted.get(), 0, column), nullptr, 10);
  };
  if (std::string_view(pq_.PQgetvalue(counted.get(), 0, 2)) != "on") {
    return Error(Kind::kDenied,
                 "the server counts no rows (track_counts is off), so that nobody "
                 "could be told what is written");
  }
  if (number(1) != 0) {
    return Error(Kind::kDenied,
                 "the statement changes more than rows of tables: it makes, changes "
                 "or empties tables, or stores large objects");
  }
  if (number(3) != 0) {
    return Error(Kind::kDenied,
                 "the statement writes to a foreign table, whose rows this server does not count");
  }
  answer.changed = std::max<std::uint64_t>(answer.changed, number(0));
  return {};
}

Result<> PostgresTransaction::Commit() {
  auto committed = Ask("COMMIT");
  if (!committed) {
    return Error(Kind::kUnavailable,
                 "whether it has been committed is unknown: " + committed.error().message());
  }
  if (std::string_view(pq_.PQcmdStatus(committed->get())) == "COMMIT") return {};
  return Error(Kind::kUnavailable, "the server has rolled it back");
}

void PostgresTransaction::Interrupt() {
  std::array<char, 256> why{};
  if (cancel_ != nullptr) pq_.PQcancel(cancel_, why.data(), static_cast<int>(why.size()));
}

// libpq's own message for a malformed connection string repeats parts of it, possibly the password.
Result<> CheckWords(const Libpq& pq, const std::string& words) {
  char* complaint = nullptr;
  PQconninfoOption* const parsed = pq.PQconninfoParse(words.c_str(), &complaint);
  pq.PQconninfoFree(parsed);
  pq.PQfreemem(complaint);
  if (parsed != nullptr) return {};
  return Error(Kind::kUnavailable,
               "what it is connected by is malformed: write host=… dbname=… user=… password=…, or "
               "postgresql://user:password@host:port/name");
}

}  // namespace

Result<std::unique_ptr<Transaction>> BeginPostgres(const Job& job) {
  const Libpq pq = BJ_TRY(Libpq::Load());
  BJ_TRY(CheckWords(pq, job.place.where));
  const auto seconds = std::chrono::ceil<std::chrono::seconds>(job.bounds.timeout).count();
  // libpq accepts no timeout below 2 s.
  const std::string patience = std::to_string(std::max<long>(seconds, 2));
  // Parameters before `dbname` (the connection string) can be overridden by it.
  const std::array<const char*, 7> keys = {
      "application_name", "connect_timeout", "gssencmode", "tcp_user_timeout",
      "dbname",           "client_encoding", nullptr};
  const std::array<const char*, 7> values = {
      "belljar", patience.c_str(), "disable", "10000", job.place.where.c_str(), "UTF8", nullptr};
  PGconn* const made = pq.PQconnectdbParams(keys.data(), values.data(), 1);
  if (made == nullptr) return Error(Kind::kExhausted, "no memory for a connection");
  auto transaction = std::make_unique<PostgresTransaction>(pq, made);
  if (pq.PQstatus(made) != CONNECTION_OK) {
    // The detailed message names hosts and users, which the program must not learn; it goes to the
    // log.
    std::fprintf(stderr, "%s\n", FirstLine(pq.PQerrorMessage(made)).c_str());
    return Error(Kind::kUnavailable, "it cannot be reached, or does not let Belljar in");
  }
  BJ_TRY(transaction->Prepare(job));
  return std::unique_ptr<Transaction>(std::move(transaction));
}

}  // namespace belljar::resource::database
