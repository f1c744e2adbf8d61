#include "foundation/storage/postgres_connection.h"

#include <fmt/format.h>
#include <poll.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

#include "foundation/storage/statement.h"

namespace belljar::storage {
namespace {

constexpr int kOldestServer = 120'000;  // version 12
constexpr std::size_t kMaxMessage = 500;
constexpr std::chrono::seconds kGrace{2};  // the server's limits are shorter by this

// Makes one line of at most kMaxMessage bytes.
std::string OneLine(std::string_view text) {
  std::string line(text.substr(0, kMaxMessage));
  while (!line.empty() && line.back() == '\n') line.pop_back();
  std::replace(line.begin(), line.end(), '\n', ' ');
  return line;
}

// Maps an SQLSTATE to a Kind; its first two characters are the error class.
Kind KindOfSqlState(std::string_view state) {
  if (state == "42501") return Kind::kDenied;
  const std::string_view family = state.substr(0, 2);
  if (family == "53") return Kind::kExhausted;  // disk full, out of memory, too many connections
  if (family == "28") return Kind::kDenied;     // authentication failed
  if (family == "22" || family == "23" || family == "54") return Kind::kInvalid;
  if (family == "08" || family == "57" || family == "58") return Kind::kUnavailable;
  // Lock timeout; serialisation conflict or deadlock; read-only server.
  if (state == "55P03" || family == "40" || state == "25006") return Kind::kUnavailable;
  return Kind::kInternal;
}

std::string_view SentenceFor(std::string_view state) {
  if (state == "55P03") return "somebody else kept a lock for too long, try again";
  if (state == "57014") return "the statement took too long and was stopped; nothing was changed";
  if (state == "53100") return "no space is left for it; nothing was changed";
  if (state == "25006") return "it is read-only; nothing was changed";
  return "";
}

// libpq's own message for a malformed URL repeats parts of it, possibly the password.
Result<> CheckUrl(const Libpq& pq, const std::string& url) {
  char* complaint = nullptr;
  PQconninfoOption* const parsed = pq.PQconninfoParse(url.c_str(), &complaint);
  pq.PQconninfoFree(parsed);
  pq.PQfreemem(complaint);
  if (parsed != nullptr) return {};
  return Error(Kind::kInvalid,
               "the URL of the PostgreSQL database is malformed; write it as "
               "postgresql://user:password@host:port/name, with %25 for a percent sign");
}

void SwallowNotice(void*, const char*) {}

}  // namespace

PostgresConnection::PostgresConnection(const Libpq& pq, PGconn* connection)
    : pq_(pq), connection_(connection, Finish{&pq_}) {
  const auto text = [](const char* from) { return from == nullptr ? "" : from; };
  name_ = fmt::format("PostgreSQL database {} at {}", text(pq_.PQdb(connection)),
                      text(pq_.PQhost(connection)));
}

Result<std::unique_ptr<PostgresConnection>> PostgresConnection::Open(const Libpq& pq,
                                                                     const std::string& url,
                                                                     const Options& options) {
  BJ_TRY(CheckUrl(pq, url));
  // Parameters before `dbname` (the URL) can be overridden by the URL.
  const auto seconds = std::chrono::ceil<std::chrono::seconds>(options.patience).count();
  // libpq accepts no timeout below 2 s.
  const std::string patience = std::to_string(std::max<long>(seconds, 2));
  const std::array<const char*, 8> keys = {
      "application_name", "connect_timeout", "gssencmode",      "keepalives_idle",
      "tcp_user_timeout", "dbname",          "client_encoding", nullptr};
  const std::array<const char*, 8> values = {"belljar", patience.c_str(), "disable", "30",
                                             "30000",   url.c_str(),      "UTF8",    nullptr};
  PGconn* const made = pq.PQconnectdbParams(keys.data(), values.data(), 1);
  if (made == nullptr) return Error(Kind::kExhausted, "no memory for a PostgreSQL connection");
  std::unique_ptr<PostgresConnection> connection(new PostgresConnection(pq, made));
  if (pq.PQstatus(made) != CONNECTION_OK) {
    return Error(Kind::kUnavailable, fmt::format("{}: it cannot be reached: {}", connection->name_,
                                                 OneLine(pq.PQerrorMessage(made))));
  }
  BJ_TRY(connection->Greet(options).While(connection->name_));
  return connection;
}

Result<> PostgresConnection::Greet(const Options& options) {
  PGconn* const connection = connection_.get();
  pq_.PQsetNoticeProcessor(connection, SwallowNotice, nullptr);
  if (pq_.PQsetnonblocking(connection, 1) != 0) return Lost("it cannot be made non-blocking");
  if (pq_.PQserverVersion(connection) < kOldestServer) {
    return Error(Kind::kInvalid, "the server is older than PostgreSQL 12");
  }
  const char* const encoding = pq_.PQparameterStatus(connection, "server_encoding");
  if (encoding == nullptr || std::string_view(encoding) != "UTF8") {
    return Error(Kind::kInvalid, "its encoding is not UTF8");
  }
  const std::array<Value, 2> limits = {std::to_string(options.patience.count()),
                                       std::to_string(options.statement_limit.count())};
  BJ_TRY(
      Run("SELECT set_config('lock_timeout', $1, false),"
          "       set_config('statement_timeout', $2, false),"
          "       set_config('bytea_output', 'hex', false),"
          "       set_config('extra_float_digits', '1', false),"
          "       set_config('standard_conforming_strings', 'on', false)",
          PostgresParams(limits), nullptr, options.patience));
  return {};
}

bool PostgresConnection::usable() {
  if (failed_ || pq_.PQstatus(connection_.get()) != CONNECTION_OK) return false;
  // POLLRDHUP tells whether the server has closed the connection. Reading would return its last
  // messages first, and the end of file only after them.
  pollfd looked{pq_.PQsocket(connection_.get()), POLLRDHUP, 0};
  return ::poll(&looked, 1, 0) == 0;
}

bool PostgresConnection::in_transaction() const {
  const PGTransactionStatusType status = pq_.PQtransactionStatus(connection_.get());
  return status == PQTRANS_INTRANS || status == PQTRANS_INERROR;
}

Error PostgresConnection::Lost(std::string_view how) {
  failed_ = true;
  return Error(Kind::kUnavailable,
               fmt::format("{}: {}; whether the statement took effect is unknown", name_, how));
}

Error PostgresConnection::Failure(const PGresult* result) {
  const char* const code = pq_.PQresultErrorField(result, PG_DIAG_SQLSTATE);
  const char* const text = pq_.PQresultErrorField(result, PG_DIAG_MESSAGE_PRIMARY);
  // An error without an SQLSTATE comes from libpq itself: the connection broke.
  if (code == nullptr) return Lost(OneLine(pq_.PQerrorMessage(connection_.get())));
  const std::string_view sentence = SentenceFor(code);
  return Error(KindOfSqlState(code),
               fmt::format("{}: {}", name_,
                           sentence.empty() ? OneLine(text == nullptr ? code : text) : sentence));
}

Result<> PostgresConnection::Await(short events, Time::time_point deadline) {
  for (;;) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - Time::now());
    pollfd waited{pq_.PQsocket(connection_.get()), events, 0};
    const int ready = ::poll(&waited, 1, static_cast<int>(std::max<long>(left.count(), 0)));
    if (ready > 0) break;
    if (ready == 0) return Lost("it gives no answer");
    if (errno != EINTR) return Lost(std::strerror(errno));
  }
  if (pq_.PQconsumeInput(connection_.get()) != 0) return {};
  return Lost(OneLine(pq_.PQerrorMessage(connection_.get())));
}

Result<> PostgresConnection::Flush(Time::time_point deadline) {
  for (;;) {
    const int rest = pq_.PQflush(connection_.get());
    if (rest == 0) return {};
    if (rest < 0) return Lost(OneLine(pq_.PQerrorMessage(connection_.get())));
    BJ_TRY(Await(POLLIN | POLLOUT, deadline));
  }
}

Result<PostgresConnection::ResultPtr> PostgresConnection::Next(Time::time_point deadline) {
  while (pq_.PQisBusy(connection_.get()) != 0) BJ_TRY(Await(POLLIN, deadline));
  return ResultPtr(pq_.PQgetResult(connection_.get()), Clear{&pq_});
}

Result<> PostgresConnection::Take(const PGresult* result, std::vector<Row>* rows, Answer& answer) {
  switch (pq_.PQresultStatus(result)) {
    case PGRES_SINGLE_TUPLE:
    case PGRES_TUPLES_OK:
    case PGRES_COMMAND_OK:
      break;
    case PGRES_EMPTY_QUERY:
      return Error(Kind::kInvalid, "the statement is empty");
    case PGRES_FATAL_ERROR:
      return Failure(result);
    default:
      return Lost("it answers in a way that is not a statement's");
  }
  const int count = rows == nullptr ? 0 : pq_.PQntuples(result);
  for (int i = 0; i < count; ++i) {
    Row row = BJ_TRY(ReadRow(pq_, result, i));
    rows->push_back(std::move(row));
  }
  // PQcmdStatus() and PQcmdTuples() take a non-const pointer.
  auto* const changed = const_cast<PGresult*>(result);
  answer.tag = pq_.PQcmdStatus(changed);
  const bool selects = answer.tag.starts_with("SELECT");
  answer.touched = selects ? 0 : std::strtoull(pq_.PQcmdTuples(changed), nullptr, 10);
  return {};
}

// Reads all results even after a failure: only then can the connection be used again.
Result<PostgresConnection::Answer> PostgresConnection::Collect(std::vector<Row>* rows,
                                                               std::chrono::milliseconds limit) {
  const auto deadline = Time::now() + limit + kGrace;
  BJ_TRY(Flush(deadline));
  Answer answer;
  ResultMeter meter;
  Result<> outcome;
  for (;;) {
    const ResultPtr result = BJ_TRY(Next(deadline));
    if (!result) break;
    if (failed_ || !outcome) continue;
    const std::size_t before = rows == nullptr ? 0 : rows->size();
    outcome = Take(result.get(), rows, answer);
    if (outcome && rows != nullptr && rows->size() > before) outcome = meter.Count(rows->back());
    if (failed_) break;
  }
  if (pq_.PQstatus(connection_.get()) != CONNECTION_OK) failed_ = true;
  if (!outcome) return std::move(outcome).error();
  return answer;
}

Result<PostgresConnection::Answer> PostgresConnection::Run(const std::string& sql,
                                                           const PostgresParams& params,
                                                           std::vector<Row>* rows,
                                                           std::chrono::milliseconds limit) {
  PGconn* const connection = connection_.get();
  if (pq_.PQsendQueryParams(connection, sql.c_str(), params.count(), params.types(),
                            params.values(), params.lengths(), params.formats(), 0) == 0) {
    return Lost(OneLine(pq_.PQerrorMessage(connection)));
  }
  // Single-row mode: a result that is too large is never held in memory as a whole.
  pq_.PQsetSingleRowMode(connection);
  return Collect(rows, limit);
}

Result<PostgresConnection::Answer> PostgresConnection::Script(const std::string& sql,
                                                              std::chrono::milliseconds limit) {
  if (pq_.PQsendQuery(connection_.get(), sql.c_str()) == 0) {
    return Lost(OneLine(pq_.PQerrorMessage(connection_.get())));
  }
  return Collect(nullptr, limit);
}

}  // namespace belljar::storage
