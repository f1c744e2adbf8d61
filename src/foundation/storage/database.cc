#include "foundation/storage/database.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "foundation/storage/postgres.h"
#include "foundation/storage/sqlite.h"

namespace belljar::storage {
namespace {

constexpr std::size_t kMaxComponent = 64;

constexpr const char* kSchemaTable =
    "CREATE TABLE IF NOT EXISTS belljar_schema ("
    "  component TEXT PRIMARY KEY,"
    "  version BIGINT NOT NULL"
    ")";

Result<> CheckSteps(std::string_view component, std::span<const Migration> steps) {
  if (component.empty() || component.size() > kMaxComponent) {
    return Error(Kind::kInvalid, "the name of a schema must have 1 to 64 bytes");
  }
  if (steps.empty()) return Error(Kind::kInvalid, fmt::format("schema {} has no steps", component));
  int before = 0;
  for (const Migration& step : steps) {
    if (step.version <= before) {
      return Error(Kind::kInvalid, fmt::format("schema {}: version {} comes after version {}",
                                               component, step.version, before));
    }
    before = step.version;
  }
  return {};
}

}  // namespace

Database::Database(const Options& options) : options_(options) {}
Database::~Database() = default;

Result<std::unique_ptr<Database>> Database::Open(const std::string& where) {
  return Open(where, Options());
}

Result<std::unique_ptr<Database>> Database::Open(const std::string& where, const Options& options) {
  constexpr std::string_view kSqlite = "sqlite:";
  if (where.find('\0') != std::string::npos) {
    return Error(Kind::kInvalid, "the place of a database must not contain a NUL byte");
  }
  if (where.starts_with(kSqlite)) return OpenSqlite(where.substr(kSqlite.size()), options);
  if (where.starts_with("postgresql://") || where.starts_with("postgres://")) {
    return OpenPostgres(where, options);
  }
  return Error(Kind::kInvalid,
               "a database is named by sqlite:/path/file.db or postgresql://user@host/name");
}

Result<Gate::Turn> Database::Enter() {
  auto turn = gate_.Enter(options_.patience);
  if (!turn) {
    return Error(Kind::kUnavailable,
                 fmt::format("{}: other threads kept it busy for {} ms, try again", name(),
                             options_.patience.count()));
  }
  if (in_transaction_ && doomed_by_) {
    return Error(doomed_by_->kind(),
                 fmt::format("the transaction has already failed: {}", doomed_by_->message()));
  }
  return *std::move(turn);
}

Error Database::Doom(Error error) {
  if (in_transaction_ && !doomed_by_) doomed_by_ = error;
  return error;
}

Result<> Database::Transaction(const std::function<Result<>()>& work) {
  const auto turn = BJ_TRY(Enter());
  if (in_transaction_) {
    auto inner = work();
    if (!inner) return Doom(std::move(inner).error());
    return {};
  }
  BJ_TRY(Begin());
  in_transaction_ = true;
  doomed_by_.reset();
  // An exception must not leave the transaction open for the next caller.
  try {
    auto done = RunWork(work);
    in_transaction_ = false;
    return done;
  } catch (...) {
    Rollback();
    in_transaction_ = false;
    throw;
  }
}

Result<> Database::RunWork(const std::function<Result<>()>& work) {
  auto done = work();
  if (done && doomed_by_) done = *doomed_by_;
  if (done) done = Commit();
  if (!done) Rollback();
  return done;
}

Result<> Database::Migrate(std::string_view component, std::span<const Migration> steps) {
  BJ_TRY(CheckSteps(component, steps));
  const int newest = steps.back().version;
  BJ_TRY(Transaction([&] { return RunScript(kSchemaTable); }));
  const int current = BJ_TRY(VersionOf(component, newest));
  for (const Migration& step : steps) {
    if (step.version <= current) continue;
    BJ_TRY(Transaction([&] {
             return MigrateOne(component, step, newest);
           }).While(fmt::format("schema {}, version {}", component, step.version)));
  }
  return {};
}

// Reads the version again inside the transaction: two programs may migrate at once.
Result<> Database::MigrateOne(std::string_view component, const Migration& step, int newest) {
  const int current = BJ_TRY(VersionOf(component, newest));
  if (current >= step.version) return {};
  const std::string script = BJ_TRY(Translate(step.sql));
  BJ_TRY(RunScript(script));
  const std::array<Value, 2> row = {std::string(component), std::int64_t{step.version}};
  BJ_TRY(
      Execute("INSERT INTO belljar_schema (component, version) VALUES ($1, $2) "
              "ON CONFLICT (component) DO UPDATE SET version = excluded.version",
              row));
  return {};
}

Result<int> Database::VersionOf(std::string_view component, int newest) {
  const std::array<Value, 1> key = {std::string(component)};
  const auto rows = BJ_TRY(Query("SELECT version FROM belljar_schema WHERE component = $1", key));
  if (rows.empty()) return 0;
  const std::int64_t* const version = std::get_if<std::int64_t>(rows.data()->data());
  if (version == nullptr || *version < 0) {
    return Error(Kind::kInternal,
                 fmt::format("{}: the version of schema {} is not a number", name(), component));
  }
  if (*version > newest) {
    return Error(Kind::kInvalid,
                 fmt::format("{}: its schema {} has version {}, and this program knows only "
                             "version {}: use a newer belljar",
                             name(), component, *version, newest));
  }
  return static_cast<int>(*version);
}

Result<std::string> Database::Translate(std::string_view sql) const {
  std::string text;
  for (std::size_t at = 0; at < sql.size();) {
    const std::size_t dollar = std::min(sql.find('$', at), sql.size());
    text += sql.substr(at, dollar - at);
    if (dollar == sql.size()) break;
    const auto is_letter = [](char c) { return c >= 'A' && c <= 'Z'; };
    const auto* const begin = sql.begin() + dollar + 1;
    const std::string_view word(begin, std::find_if_not(begin, sql.end(), is_letter));
    const std::string_view meaning = WordFor(word);
    if (meaning.empty()) {
      return Error(Kind::kInvalid, fmt::format("${} stands for nothing in a migration", word));
    }
    text += meaning;
    at = dollar + 1 + word.size();
  }
  return text;
}

}  // namespace belljar::storage
