#include "callers/change_log.h"

namespace belljar::callers {
namespace {

using storage::Row;
using storage::Value;

constexpr storage::Migration kSchema[] = {{1,
                                           "CREATE TABLE callers_unrecorded ("
                                           "  number BIGINT PRIMARY KEY,"
                                           "  at_ms BIGINT NOT NULL,"
                                           "  by_whom TEXT NOT NULL,"
                                           "  detail TEXT NOT NULL)"}};

Error Damaged() {
  return Error(Kind::kInternal, "the table of unrecorded changes of callers is damaged");
}

Result<CallerChange> ReadRow(const Row& row) {
  const auto* const number = std::get_if<std::int64_t>(&row.at(0));
  const auto* const at_ms = std::get_if<std::int64_t>(&row.at(1));
  const auto* const by = std::get_if<std::string>(&row.at(2));
  const auto* const text = std::get_if<std::string>(&row.at(3));
  if (number == nullptr || at_ms == nullptr || by == nullptr || text == nullptr) return Damaged();
  const auto detail = ParseJson(*text);
  if (!detail || !detail->is_object()) return Damaged();
  return CallerChange{*number, *at_ms, *by, detail->get_object()};
}

}  // namespace

Result<> OpenChanges(storage::Database& database) {
  return database.Migrate("callers_unrecorded", kSchema);
}

Result<> NoteChange(storage::Database& database, const CallerChange& change) {
  const std::vector<Value> row = {change.at_ms, change.by, json::serialize(change.detail)};
  BJ_TRY(
      database.Execute("INSERT INTO callers_unrecorded (number, at_ms, by_whom, detail) "
                       "SELECT number, $1, $2, $3 FROM callers_change",
                       row));
  return {};
}

Result<std::vector<CallerChange>> ReadChanges(storage::Database& database) {
  std::vector<CallerChange> changes;
  const auto rows =
      BJ_TRY(database.Query("SELECT number, at_ms, by_whom, detail FROM callers_unrecorded "
                            "ORDER BY number LIMIT 100",
                            {}));
  for (const Row& row : rows) {
    CallerChange change = BJ_TRY(ReadRow(row));
    changes.push_back(std::move(change));
  }
  return changes;
}

Result<> ForgetChanges(storage::Database& database, std::int64_t number) {
  const std::vector<Value> up_to = {number};
  BJ_TRY(database.Execute("DELETE FROM callers_unrecorded WHERE number <= $1", up_to));
  return {};
}

}  // namespace belljar::callers
