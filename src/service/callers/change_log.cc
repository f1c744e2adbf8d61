#include "service/callers/change_log.h"

#include <fmt/format.h>

#include <array>
#include <map>

namespace belljar::service::callers {
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

using ByName = std::map<std::string, json::object>;

// A consistent snapshot of the table, its unrecorded changes, and the number of the last change.
struct Present {
  ByName callers;
  std::vector<CallerChange> unrecorded;
  std::int64_t number = 0;
};

Result<Present> ReadPresent(storage::Database& database) {
  Present present;
  const auto read = [&]() -> Result<> {
    const auto rows = BJ_TRY(
        database.Query("SELECT name, digest, scopes, concurrent_runs, sessions, runs_per_minute, "
                       "memory_bytes FROM callers",
                       {}));
    for (const Row& row : rows) {
      json::object described = BJ_TRY(DescribeRow(row));
      present.callers[std::string(described.at("name").as_string())] = std::move(described);
    }
    const auto changes =
        BJ_TRY(database.Query("SELECT number, at_ms, by_whom, detail FROM callers_unrecorded "
                              "ORDER BY number",
                              {}));
    for (const Row& row : changes) {
      CallerChange change = BJ_TRY(ReadRow(row));
      present.unrecorded.push_back(std::move(change));
    }
    const auto numbers = BJ_TRY(database.Query("SELECT number FROM callers_change", {}));
    const auto* const number =
        numbers.size() == 1 ? std::get_if<std::int64_t>(numbers[0].data()) : nullptr;
    if (number == nullptr) return Damaged();
    present.number = *number;
    return {};
  };
  BJ_TRY(database.Transaction(read));
  return present;
}

// Applies one change to `callers`.
void Apply(json::object detail, ByName& callers) {
  const json::value* const name = detail.if_contains("name");
  const json::value* const action = detail.if_contains("action");
  if (name == nullptr || !name->is_string() || action == nullptr) return;
  const std::string who(name->get_string());
  callers.erase(who);
  if (*action != "add") return;
  for (const char* const key : {"action", "change", "at"}) detail.erase(key);
  callers[who] = std::move(detail);
}

std::string FirstDifference(const ByName& wanted, const ByName& there) {
  for (const auto& [name, described] : there) {
    const auto told = wanted.find(name);
    if (told == wanted.end()) {
      return fmt::format("caller {} is there, and no record says that it was added", name);
    }
    if (told->second != described) {
      return fmt::format("caller {} is not as it was recorded when it was added", name);
    }
  }
  for (const auto& [name, described] : wanted) {
    if (!there.contains(name)) {
      return fmt::format("caller {} is gone, and no record says that it was removed", name);
    }
  }
  return "";
}

}  // namespace

Result<json::object> DescribeRow(const Row& row) {
  constexpr std::array kQuotas = {"runs", "sessions", "per_minute", "memory"};
  const auto* const name = std::get_if<std::string>(&row.at(0));
  const auto* const digest = std::get_if<storage::Blob>(&row.at(1));
  const auto* const scopes = std::get_if<std::string>(&row.at(2));
  if (name == nullptr || scopes == nullptr) return Damaged();
  json::object described = {{"name", *name}, {"scopes", *scopes}};
  for (std::size_t i = 0; i < kQuotas.size(); ++i) {
    const auto* const quota = std::get_if<std::int64_t>(&row.at(3 + i));
    if (quota == nullptr) return Damaged();
    described[kQuotas[i]] = *quota;
  }
  if (digest == nullptr) return described;
  std::string hex;
  for (const char byte : digest->bytes) {
    hex += fmt::format("{:02x}", static_cast<unsigned char>(byte));
  }
  described["digest"] = hex;
  return described;
}

Result<std::string> CompareWithRecords(storage::Database& database, const ReadRecorded& recorded) {
  const auto tables =
      BJ_TRY(database.Query("SELECT name FROM sqlite_master WHERE type = 'table' AND name IN "
                            "('callers', 'callers_unrecorded')",
                            {}));
  if (tables.size() < 2) return std::string();  // no daemon has run, and no caller was added
  const Present present = BJ_TRY(ReadPresent(database));
  ByName wanted;
  for (json::object& detail : BJ_TRY(recorded())) {
    const json::value* const change = detail.if_contains("change");
    const bool later =
        change != nullptr && change->is_int64() && change->get_int64() > present.number;
    if (!later) Apply(std::move(detail), wanted);
  }
  for (const CallerChange& change : present.unrecorded) Apply(change.detail, wanted);
  return FirstDifference(wanted, present.callers);
}

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

}  // namespace belljar::service::callers
