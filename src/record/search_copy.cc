#include "record/search_copy.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>

namespace belljar::record {
namespace {

using storage::Row;
using storage::Value;

constexpr std::array<storage::Migration, 1> kMigrations = {{{1, R"(
CREATE TABLE audit_records (
  log TEXT NOT NULL, idx BIGINT NOT NULL, time_ms BIGINT NOT NULL, event TEXT NOT NULL,
  caller TEXT NOT NULL, run_id TEXT NOT NULL, session_id TEXT NOT NULL,
  correlation_id TEXT NOT NULL, traceparent TEXT NOT NULL, outcome TEXT NOT NULL,
  entry TEXT NOT NULL, hash TEXT NOT NULL, PRIMARY KEY (log, idx));
CREATE INDEX audit_records_run ON audit_records (log, run_id);
CREATE INDEX audit_records_session ON audit_records (log, session_id, idx);
CREATE INDEX audit_records_caller ON audit_records (log, caller, idx);
CREATE INDEX audit_records_correlation ON audit_records (log, correlation_id);
CREATE INDEX audit_records_time ON audit_records (log, time_ms);
)"}}};

constexpr std::size_t kColumns = 12;
constexpr std::size_t kRowsTogether = 16;
static_assert(kColumns * kRowsTogether <= storage::kMaxParams);

// The INSERT for `rows` rows. The text depends only on that number, so it can be prepared once.
std::string InsertText(std::size_t rows) {
  std::string sql =
      "INSERT INTO audit_records (log, idx, time_ms, event, caller, run_id, session_id, "
      "correlation_id, traceparent, outcome, entry, hash) VALUES ";
  for (std::size_t row = 0; row < rows; ++row) {
    for (std::size_t column = 0; column < kColumns; ++column) {
      sql += fmt::format("{}${}",
                         column > 0 ? ", "
                         : row > 0  ? ", ("
                                    : "(",
                         row * kColumns + column + 1);
    }
    sql += ')';
  }
  return sql + " ON CONFLICT (log, idx) DO NOTHING";
}

void AddValues(std::vector<Value>& values, const std::string& log, const Record& record) {
  values.insert(values.end(), {log, static_cast<std::int64_t>(record.index), record.time_ms,
                               std::string(EventName(record.event)), record.caller, record.run_id,
                               record.session_id, record.correlation_id, record.traceparent,
                               record.outcome, record.entry, record.hash});
}

// Builds a WHERE clause with its parameters.
class Where {
 public:
  explicit Where(std::string log) { values_.emplace_back(std::move(log)); }
  void Add(std::string_view condition, Value value) {
    values_.push_back(std::move(value));
    text_ += fmt::format(" AND {} ${}", condition, values_.size());
  }
  void AddText(std::string_view condition, const std::string& text) {
    if (!text.empty()) Add(condition, text);
  }
  const std::string& text() const { return text_; }
  std::span<const Value> values() const { return values_; }

 private:
  std::string text_ = " WHERE log = $1";
  std::vector<Value> values_;
};

Where WhereOf(const Filter& filter, const std::string& log) {
  Where where(log);
  where.AddText("caller =", filter.caller);
  where.AddText("session_id =", filter.session_id);
  where.AddText("run_id =", filter.run_id);
  where.AddText("outcome =", filter.outcome);
  where.AddText("correlation_id =", filter.correlation_id);
  if (filter.event) where.Add("event =", std::string(EventName(*filter.event)));
  if (filter.since) where.Add("time_ms >=", *filter.since);
  if (filter.until) where.Add("time_ms <", *filter.until);
  const auto bounded = [](std::uint64_t index) {
    return static_cast<std::int64_t>(std::min<std::uint64_t>(index, INT64_MAX));
  };
  if (filter.before_index) where.Add("idx <", bounded(*filter.before_index));
  if (filter.from_index) where.Add("idx >=", bounded(*filter.from_index));
  return where;
}

// A value of any type as text, for comparison with the expected value.
std::string Text(const Value& value) {
  if (const auto* const text = std::get_if<std::string>(&value)) return *text;
  if (const auto* const number = std::get_if<std::int64_t>(&value)) return std::to_string(*number);
  if (const auto* const number = std::get_if<double>(&value)) return fmt::format("{}", *number);
  if (std::holds_alternative<storage::Blob>(value)) return "(bytes)";
  return "(nothing)";
}

Result<std::int64_t> Number(const Value& value) {
  if (const auto* const number = std::get_if<std::int64_t>(&value)) return *number;
  return Error(Kind::kInvalid, "the database has \"" + Text(value) + "\" where a number belongs");
}

}  // namespace

Result<std::unique_ptr<SearchCopy>> SearchCopy::OpenToRead(const std::string& where,
                                                           std::string log) {
  constexpr std::string_view kSqlite = "sqlite:";
  if (where.starts_with(kSqlite) && ::access(where.c_str() + kSqlite.size(), R_OK) != 0) {
    return Error(Kind::kNotFound, "the database " + where.substr(kSqlite.size()) + " is not there");
  }
  auto database = BJ_TRY(storage::Database::Open(where));
  return std::unique_ptr<SearchCopy>(new SearchCopy(std::move(database), std::move(log), where));
}

Result<std::unique_ptr<SearchCopy>> SearchCopy::Open(const std::string& where, std::string log) {
  auto database = BJ_TRY(storage::Database::Open(where));
  BJ_TRY(database->Migrate("audit", kMigrations));
  return std::unique_ptr<SearchCopy>(new SearchCopy(std::move(database), std::move(log), where));
}

Result<> SearchCopy::Insert(std::span<const Record> records) {
  static const std::string many = InsertText(kRowsTogether);
  static const std::string one = InsertText(1);
  return database_->Transaction([&]() -> Result<> {
    for (std::span<const Record> rest = records; !rest.empty();) {
      const std::size_t rows = rest.size() >= kRowsTogether ? kRowsTogether : 1;
      std::vector<Value> values;
      for (const Record& record : rest.first(rows)) AddValues(values, log_, record);
      BJ_TRY(database_->Execute(rows == 1 ? one : many, values));
      rest = rest.subspan(rows);
    }
    return {};
  });
}

Result<std::uint64_t> SearchCopy::Extent() {
  const std::array<Value, 1> log = {log_};
  const auto rows =
      BJ_TRY(database_->Query("SELECT MAX(idx) FROM audit_records WHERE log = $1", log));
  if (rows.empty() || std::holds_alternative<std::monostate>(rows[0].at(0)))
    return std::uint64_t{0};
  const std::int64_t last = BJ_TRY(Number(rows[0].at(0)));
  return last < 0 ? std::uint64_t{0} : static_cast<std::uint64_t>(last) + 1;
}

Result<std::vector<std::uint64_t>> SearchCopy::Missing(std::uint64_t extent, std::size_t limit) {
  std::vector<std::uint64_t> missing;
  const std::array<Value, 2> all = {log_, static_cast<std::int64_t>(extent)};
  const auto count = BJ_TRY(database_->Query(
      "SELECT COUNT(*) FROM audit_records WHERE log = $1 AND idx >= 0 AND idx < $2", all));
  const std::int64_t present = BJ_TRY(Number(count.at(0).at(0)));
  if (static_cast<std::uint64_t>(present) == extent) return missing;
  constexpr std::uint64_t kStep = 4096;
  for (std::uint64_t first = 0; first < extent && missing.size() < limit; first += kStep) {
    const std::uint64_t end = std::min(extent, first + kStep);
    const std::array<Value, 3> range = {log_, static_cast<std::int64_t>(first),
                                        static_cast<std::int64_t>(end)};
    const auto rows = BJ_TRY(database_->Query(
        "SELECT idx FROM audit_records WHERE log = $1 AND idx >= $2 AND idx < $3 ORDER BY idx",
        range));
    std::uint64_t next = first;
    for (const Row& row : rows) {
      const auto index = static_cast<std::uint64_t>(BJ_TRY(Number(row.at(0))));
      for (; next < index && missing.size() < limit; ++next) missing.push_back(next);
      next = index + 1;
    }
    for (; next < end && missing.size() < limit; ++next) missing.push_back(next);
  }
  return missing;
}

Result<std::vector<Record>> SearchCopy::Find(const Filter& filter) {
  const Where where = WhereOf(filter, log_);
  const std::string sql =
      fmt::format("SELECT idx, entry FROM audit_records{} ORDER BY idx {} LIMIT {}", where.text(),
                  filter.order == Order::kNewestFirst ? "DESC" : "ASC",
                  std::clamp<std::size_t>(filter.limit, 1, kMaxFound));
  std::vector<Record> found;
  const auto rows = BJ_TRY(database_->Query(sql, where.values()));
  for (const Row& row : rows) {
    const auto index = static_cast<std::uint64_t>(BJ_TRY(Number(row.at(0))));
    auto record = ParseRecord(Text(row.at(1)), index);
    if (!record) {
      return std::move(record).error().While(
          fmt::format("the database's copy of record {} is damaged", index));
    }
    found.push_back(std::move(*record));
  }
  return found;
}

Result<std::vector<CopyRow>> SearchCopy::Rows(std::int64_t first, std::int64_t end) {
  const std::array<Value, 3> range = {log_, first, end};
  const auto rows = BJ_TRY(database_->Query(
      "SELECT idx, time_ms, event, caller, run_id, session_id, correlation_id, traceparent, "
      "outcome, entry, hash FROM audit_records WHERE log = $1 AND idx >= $2 AND idx < $3 "
      "ORDER BY idx",
      range));
  std::vector<CopyRow> found;
  for (const Row& row : rows) {
    CopyRow copy;
    copy.index = static_cast<std::uint64_t>(BJ_TRY(Number(row.at(0))));
    const auto* const time = std::get_if<std::int64_t>(&row.at(1));
    copy.fields.time_ms = time == nullptr ? INT64_MIN : *time;
    copy.event = Text(row.at(2));
    copy.fields.caller = Text(row.at(3));
    copy.fields.run_id = Text(row.at(4));
    copy.fields.session_id = Text(row.at(5));
    copy.fields.correlation_id = Text(row.at(6));
    copy.fields.traceparent = Text(row.at(7));
    copy.fields.outcome = Text(row.at(8));
    copy.fields.entry = Text(row.at(9));
    copy.fields.hash = Text(row.at(10));
    found.push_back(std::move(copy));
  }
  return found;
}

Result<std::string> SearchCopy::CheckStructure() {
  if (!sqlite()) return std::string();
  const auto rows = BJ_TRY(database_->Query("PRAGMA integrity_check(1)", {}));
  const std::string said = rows.empty() ? "" : Text(rows[0].at(0));
  return said == "ok" ? std::string() : said;
}

}  // namespace belljar::record
