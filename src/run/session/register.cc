#include "run/session/register.h"

#include <fmt/format.h>

namespace belljar::run {
namespace {

using storage::Migration;
using storage::Row;
using storage::Value;

constexpr Migration kSessionsSchema[] = {
    {1,
     "CREATE TABLE sessions ("
     "  id TEXT PRIMARY KEY,"
     "  caller TEXT NOT NULL,"
     "  name TEXT NOT NULL,"
     "  lang TEXT NOT NULL,"
     "  image TEXT NOT NULL,"
     "  created_ms BIGINT NOT NULL,"
     "  ended_ms BIGINT,"  // NULL while it lives
     "  reason TEXT NOT NULL,"
     "  last_used_ms BIGINT NOT NULL,"
     "  runs BIGINT NOT NULL,"
     "  wall_ms BIGINT,"
     "  cpu_ms BIGINT,"
     "  kept_bytes BIGINT NOT NULL,"
     "  kept_files BIGINT NOT NULL,"
     "  trouble TEXT NOT NULL"
     ");"
     "CREATE INDEX sessions_ended ON sessions (ended_ms);"
     "CREATE INDEX sessions_caller ON sessions (caller, ended_ms)"},
    {2, "ALTER TABLE sessions ADD COLUMN backend TEXT NOT NULL DEFAULT ''"},
    // outlived = 1: a later session has the same name, which now stands for that one.
    {3, "ALTER TABLE sessions ADD COLUMN outlived BIGINT NOT NULL DEFAULT 0"}};

constexpr std::string_view kColumns =
    "id, caller, name, lang, image, created_ms, ended_ms, reason, last_used_ms, runs, wall_ms, "
    "cpu_ms, kept_bytes, kept_files, trouble, backend";

Value OrNull(const std::optional<std::int64_t>& number) {
  return number ? Value(*number) : Value(std::monostate());
}

// A column of the wrong type reads as empty: a damaged row must not hide the others.
std::string Text(const Value& value) {
  const auto* const text = std::get_if<std::string>(&value);
  return text == nullptr ? std::string() : *text;
}
std::optional<std::int64_t> Number(const Value& value) {
  const auto* const number = std::get_if<std::int64_t>(&value);
  return number == nullptr ? std::nullopt : std::optional(*number);
}

SessionRow ReadRow(const Row& row) {
  SessionRow read;
  read.id = Text(row.at(0));
  read.caller = Text(row.at(1));
  read.name = Text(row.at(2));
  read.lang = Text(row.at(3));
  read.image = Text(row.at(4));
  read.created_ms = Number(row.at(5)).value_or(0);
  read.ended_ms = Number(row.at(6));
  read.reason = Text(row.at(7));
  read.last_used_ms = Number(row.at(8)).value_or(0);
  read.runs = Number(row.at(9)).value_or(0);
  read.wall_ms = Number(row.at(10));
  read.cpu_ms = Number(row.at(11));
  read.kept_bytes = Number(row.at(12)).value_or(0);
  read.kept_files = Number(row.at(13)).value_or(0);
  read.trouble = Text(row.at(14));
  read.backend = Text(row.at(15));
  return read;
}

}  // namespace

Result<std::unique_ptr<Register>> Register::Open(storage::Database& database) {
  BJ_TRY(database.Migrate("sessions", kSessionsSchema));
  return std::unique_ptr<Register>(new Register(database));
}

// Frees the name in older rows: a name stands for the latest session with it, even after that one
// was removed.
Result<> Register::TakeName(const SessionRow& row) {
  if (row.name.empty()) return {};
  const std::vector<Value> name = {row.caller, row.name};
  BJ_TRY(database_.Execute(
      "UPDATE sessions SET outlived = 1 WHERE caller = $1 AND name = $2 AND ended_ms IS NOT NULL",
      name));
  return {};
}

Result<> Register::Begin(const SessionRow& row) {
  const std::vector<Value> values = {row.id,
                                     row.caller,
                                     row.name,
                                     row.lang,
                                     row.image,
                                     row.created_ms,
                                     OrNull(row.ended_ms),
                                     row.reason,
                                     row.last_used_ms,
                                     row.runs,
                                     OrNull(row.wall_ms),
                                     OrNull(row.cpu_ms),
                                     row.kept_bytes,
                                     row.kept_files,
                                     row.trouble,
                                     row.backend};
  // The row may exist already: a paused session may be marked as ended with a daemon that was
  // killed.
  const std::vector<Value> ended = {row.id, row.caller};
  BJ_TRY(database_.Execute(
      "DELETE FROM sessions WHERE id = $1 AND caller = $2 AND ended_ms IS NOT NULL", ended));
  BJ_TRY(TakeName(row));
  BJ_TRY(database_.Execute(
      "INSERT INTO sessions (id, caller, name, lang, image, created_ms, ended_ms, reason, "
      "last_used_ms, runs, wall_ms, cpu_ms, kept_bytes, kept_files, trouble, backend) "
      "VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16)",
      values));
  return {};
}

Result<> Register::End(const SessionRow& row) {
  const std::vector<Value> values = {
      row.id,         OrNull(row.ended_ms), row.reason,         row.last_used_ms,
      row.runs,       OrNull(row.wall_ms),  OrNull(row.cpu_ms), row.kept_bytes,
      row.kept_files, row.trouble};
  BJ_TRY(database_.Execute(
      "UPDATE sessions SET ended_ms = $2, reason = $3, last_used_ms = $4, runs = $5, wall_ms = $6, "
      "cpu_ms = $7, kept_bytes = $8, kept_files = $9, trouble = $10 WHERE id = $1",
      values));
  return {};
}

Result<> Register::Forget(const std::string& id) {
  const std::vector<Value> key = {id};
  BJ_TRY(database_.Execute("DELETE FROM sessions WHERE id = $1", key));
  return {};
}

Result<std::vector<SessionRow>> Register::Select(std::string_view sql,
                                                 std::span<const Value> params,
                                                 std::size_t skipped) {
  const auto rows =
      BJ_TRY(database_.Query(fmt::format("SELECT {} FROM sessions {} LIMIT {} OFFSET {}", kColumns,
                                         sql, kMostListed, skipped),
                             params));
  std::vector<SessionRow> read;
  read.reserve(rows.size());
  for (const Row& row : rows) read.push_back(ReadRow(row));
  return read;
}

Result<std::optional<SessionRow>> Register::FindEnded(const std::string& caller,
                                                      const std::string& id) {
  const std::vector<Value> key = {caller, id};
  auto rows = BJ_TRY(Select("WHERE caller = $1 AND id = $2 AND ended_ms IS NOT NULL", key));
  if (rows.empty()) return std::optional<SessionRow>();
  return std::optional(std::move(rows.front()));
}

Result<std::optional<SessionRow>> Register::FindEndedNamed(const std::string& caller,
                                                           const std::string& name) {
  const std::vector<Value> key = {caller, name};
  auto rows =
      BJ_TRY(Select("WHERE caller = $1 AND name = $2 AND name <> '' AND outlived = 0 AND "
                    "ended_ms IS NOT NULL ORDER BY ended_ms DESC",
                    key));
  if (rows.empty()) return std::optional<SessionRow>();
  return std::optional(std::move(rows.front()));
}

Result<std::vector<SessionRow>> Register::ListEnded(const std::string& caller,
                                                    std::size_t skipped) {
  const std::vector<Value> key = {caller};
  return Select("WHERE caller = $1 AND ended_ms IS NOT NULL ORDER BY ended_ms DESC", key, skipped);
}

Result<std::vector<SessionRow>> Register::Living() {
  return Select("WHERE ended_ms IS NULL ORDER BY id COLLATE \"C\"", {});
}

Result<std::vector<SessionRow>> Register::EndedBefore(std::int64_t before_ms) {
  const std::vector<Value> key = {before_ms};
  return Select("WHERE ended_ms < $1 ORDER BY ended_ms", key);
}

Result<std::vector<std::string>> Register::Ids(const std::string& after) {
  const std::vector<Value> key = {after};
  std::vector<std::string> ids;
  for (SessionRow& row : BJ_TRY(Select("WHERE id > $1 ORDER BY id COLLATE \"C\"", key))) {
    ids.push_back(std::move(row.id));
  }
  return ids;
}

}  // namespace belljar::run
