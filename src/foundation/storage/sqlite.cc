#include "foundation/storage/sqlite.h"

#include <fmt/format.h>
#include <sqlite3.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <map>
#include <thread>

#include "foundation/base/sys.h"
#include "foundation/storage/statement.h"

namespace belljar::storage {
namespace {

using Time = std::chrono::steady_clock;

constexpr std::size_t kMaxPrepared = 128;
// SQLite virtual machine instructions between deadline checks: a fraction of a millisecond.
constexpr int kStepsBetweenLooks = 10'000;
constexpr std::chrono::minutes kScriptLimit{10};

struct CloseDatabase {
  void operator()(sqlite3* db) const { ::sqlite3_close_v2(db); }
};
struct FinalizeStatement {
  void operator()(sqlite3_stmt* statement) const { ::sqlite3_finalize(statement); }
};
using Handle = std::unique_ptr<sqlite3, CloseDatabase>;
using Prepared = std::unique_ptr<sqlite3_stmt, FinalizeStatement>;

Kind KindOfSqlite(int code, int sys) {
  if (sys == ENOSPC || sys == EDQUOT || sys == EMFILE || sys == ENFILE) return Kind::kExhausted;
  switch (code & 0xff) {
    case SQLITE_FULL:
    case SQLITE_NOMEM:
      return Kind::kExhausted;
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
    case SQLITE_READONLY:
    case SQLITE_CANTOPEN:
    case SQLITE_IOERR:
    case SQLITE_INTERRUPT:
    case SQLITE_PROTOCOL:
      return Kind::kUnavailable;
    case SQLITE_PERM:
    case SQLITE_AUTH:
      return Kind::kDenied;
    case SQLITE_CONSTRAINT:
    case SQLITE_MISMATCH:
    case SQLITE_TOOBIG:
    case SQLITE_RANGE:
    case SQLITE_NOTADB:
      return Kind::kInvalid;
    default:
      return Kind::kInternal;  // a mistake in a statement, or a damaged file
  }
}

int CompareBytes(void*, int left_size, const void* left, int right_size, const void* right) {
  const auto common = static_cast<std::size_t>(std::min(left_size, right_size));
  const int order = common == 0 ? 0 : std::memcmp(left, right, common);
  return order != 0 ? order : left_size - right_size;
}

// Resets a statement after a run and clears its parameters, so that none stays in memory.
class Rewind {
 public:
  explicit Rewind(sqlite3_stmt* statement) : statement_(statement) {}
  Rewind(const Rewind&) = delete;
  Rewind& operator=(const Rewind&) = delete;
  ~Rewind() {
    ::sqlite3_reset(statement_);
    ::sqlite3_clear_bindings(statement_);
  }

 private:
  sqlite3_stmt* statement_;
};

// SQLITE_STATIC throughout: the parameters outlive the execution of the statement.
int BindValue(sqlite3_stmt* statement, int place, const Value& value) {
  if (const auto* const number = std::get_if<std::int64_t>(&value)) {
    return ::sqlite3_bind_int64(statement, place, *number);
  }
  if (const auto* const number = std::get_if<double>(&value)) {
    return ::sqlite3_bind_double(statement, place, *number);
  }
  if (const auto* const text = std::get_if<std::string>(&value)) {
    return ::sqlite3_bind_text64(statement, place, text->data(), text->size(), SQLITE_STATIC,
                                 SQLITE_UTF8);
  }
  if (const auto* const blob = std::get_if<Blob>(&value)) {
    return ::sqlite3_bind_blob64(statement, place, blob->bytes.data(), blob->bytes.size(),
                                 SQLITE_STATIC);
  }
  return ::sqlite3_bind_null(statement, place);
}

Value ReadValue(sqlite3_stmt* statement, int column) {
  const auto bytes = [&](const void* data) {
    const auto size = static_cast<std::size_t>(::sqlite3_column_bytes(statement, column));
    return size == 0 ? std::string() : std::string(static_cast<const char*>(data), size);
  };
  switch (::sqlite3_column_type(statement, column)) {
    case SQLITE_INTEGER:
      return std::int64_t{::sqlite3_column_int64(statement, column)};
    case SQLITE_FLOAT:
      return ::sqlite3_column_double(statement, column);
    case SQLITE_TEXT:
      return bytes(::sqlite3_column_text(statement, column));
    case SQLITE_BLOB:
      return Blob{bytes(::sqlite3_column_blob(statement, column))};
    default:
      return std::monostate();
  }
}

// SQLite treats "$1" as a name and numbers the names in order of appearance: this maps each back to
// the parameter it names.
Result<> BindAll(sqlite3_stmt* statement, std::span<const Value> params) {
  const int places = ::sqlite3_bind_parameter_count(statement);
  for (int place = 1; place <= places; ++place) {
    const char* const name = ::sqlite3_bind_parameter_name(statement, place);
    const std::string_view text(name == nullptr ? "" : name);
    std::size_t number = 0;
    const char* const last = text.data() + text.size();
    if (!text.starts_with('$') || std::from_chars(text.data() + 1, last, number).ptr != last ||
        number == 0 || number > params.size()) {
      return Error(Kind::kInvalid, "the placeholders of a statement are $1, $2 and so on");
    }
    if (BindValue(statement, place, params[number - 1]) != SQLITE_OK) {
      return Error(Kind::kExhausted, fmt::format("no memory for parameter ${}", number));
    }
  }
  return {};
}

class SqliteDatabase final : public Database {
 public:
  SqliteDatabase(const std::string& path, const Options& options)
      : Database(options), name_("database " + path) {}

  Result<> Connect(const std::string& path);

  Result<std::vector<Row>> Query(std::string_view sql, std::span<const Value> params) override {
    const auto turn = BJ_TRY(Enter());
    std::vector<Row> rows;
    auto run = Run(sql, params, &rows);
    if (!run) return Doom(std::move(run).error());
    return rows;
  }
  Result<std::uint64_t> Execute(std::string_view sql, std::span<const Value> params) override {
    const auto turn = BJ_TRY(Enter());
    const std::int64_t before = ::sqlite3_total_changes64(db_.get());
    auto run = Run(sql, params, nullptr);
    if (!run) return Doom(std::move(run).error());
    // sqlite3_changes64 is the count of the last statement that modified rows, which may be an
    // older one.
    const bool changed = ::sqlite3_total_changes64(db_.get()) != before;
    return changed ? static_cast<std::uint64_t>(::sqlite3_changes64(db_.get())) : 0;
  }

 protected:
  // BEGIN IMMEDIATE takes the write lock here, where it can be waited for, and not at the first
  // write.
  Result<> Begin() override { return Script("BEGIN IMMEDIATE", options_.patience * 2); }
  Result<> Commit() override { return Script("COMMIT", kScriptLimit); }
  void Rollback() override {
    // SQLite rolls back by itself after some failures; then nothing is left to do.
    if (::sqlite3_get_autocommit(db_.get()) == 0) {
      ::sqlite3_exec(db_.get(), "ROLLBACK", nullptr, nullptr, nullptr);
    }
  }
  Result<> RunScript(const std::string& sql) override {
    prepared_.clear();  // compiled for the old schema
    return Script(sql.c_str(), kScriptLimit);
  }
  std::string_view WordFor(std::string_view word) const override {
    if (word == "ID") return "INTEGER PRIMARY KEY AUTOINCREMENT";
    return word == "BLOB" ? "BLOB" : "";
  }
  const std::string& name() const override { return name_; }

 private:
  Result<> Configure();
  Result<> UseWriteAheadLog();
  Result<> Script(const char* sql, Time::duration limit);
  Result<> Run(std::string_view sql, std::span<const Value> params, std::vector<Row>* rows);
  Result<> Step(sqlite3_stmt* statement, std::vector<Row>* rows);
  Result<> CheckState();
  Result<sqlite3_stmt*> Prepare(std::string_view sql);
  Error Failure(int code) const;
  static int LookAtClock(void* self) {
    return Time::now() > static_cast<SqliteDatabase*>(self)->deadline_ ? 1 : 0;
  }

  const std::string name_;
  Handle db_;
  // The cache of prepared statements, by text. Texts are constants of the program, so there are
  // few; kMaxPrepared guards against a caller that builds texts.
  std::map<std::string, Prepared, std::less<>> prepared_;
  Time::time_point deadline_ = Time::time_point::max();  // for the statement that is running
};

Error SqliteDatabase::Failure(int code) const {
  const int sys = db_ ? ::sqlite3_system_errno(db_.get()) : 0;
  const Kind kind = KindOfSqlite(code, sys);
  const auto say = [&](std::string_view what) {
    return Error(kind, fmt::format("{}: {}", name_, what), sys);
  };
  switch (code & 0xff) {
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
      return say(fmt::format("another process kept it locked for {} ms, try again",
                             options_.patience.count()));
    case SQLITE_FULL:
      return say("no space is left for it; nothing was changed");
    case SQLITE_READONLY:
      return say("it is read-only; nothing was changed");
    case SQLITE_INTERRUPT:
      return say("the statement took too long and was stopped; nothing was changed");
    case SQLITE_NOTADB:
      return say("the file is not an SQLite database");
    case SQLITE_CORRUPT:
      return say("the file is damaged");
    default:
      break;
  }
  const std::string_view cause = db_ ? ::sqlite3_errmsg(db_.get()) : ::sqlite3_errstr(code);
  if (sys == 0 || (kind != Kind::kUnavailable && kind != Kind::kExhausted)) return say(cause);
  return say(fmt::format("{} ({})", cause, std::strerror(sys)));
}

Result<> SqliteDatabase::Connect(const std::string& path) {
  // The file is created here because SQLite would make it readable by everyone; the log takes the
  // mode of the file. mknod() needs no descriptor: closing a descriptor of the file would drop the
  // POSIX locks that SQLite already holds in this process, and another process that closes the
  // database next would take itself for the last user and delete the log while it is in use.
  const auto made = Check("create", path, [&] { return ::mknod(path.c_str(), S_IFREG | 0600, 0); });
  if (!made && made.error().sys() != EEXIST) {
    const int sys = made.error().sys();
    const Kind kind = KindOf(sys) == Kind::kExhausted ? Kind::kExhausted : Kind::kUnavailable;
    return Error(kind, fmt::format("{}: {}", name_, made.error().message()), sys);
  }
  sqlite3* opened = nullptr;
  const int code = ::sqlite3_open_v2(path.c_str(), &opened,
                                     SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX |
                                         SQLITE_OPEN_PRIVATECACHE | SQLITE_OPEN_EXRESCODE,
                                     nullptr);
  db_.reset(opened);
  if (code != SQLITE_OK) return Failure(code);
  return Configure();
}

Result<> SqliteDatabase::Configure() {
  sqlite3* const db = db_.get();
  ::sqlite3_busy_timeout(db, static_cast<int>(options_.patience.count()));
  ::sqlite3_limit(db, SQLITE_LIMIT_LENGTH, static_cast<int>(2 * kMaxValueBytes));
  ::sqlite3_limit(db, SQLITE_LIMIT_ATTACHED, 0);
  ::sqlite3_db_config(db, SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr);
  ::sqlite3_db_config(db, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, nullptr);
  ::sqlite3_db_config(db, SQLITE_DBCONFIG_DQS_DDL, 0, nullptr);
  ::sqlite3_db_config(db, SQLITE_DBCONFIG_DQS_DML, 0, nullptr);
  ::sqlite3_create_collation(db, "C", SQLITE_UTF8, nullptr, CompareBytes);
  ::sqlite3_progress_handler(db, kStepsBetweenLooks, LookAtClock, this);
  if (::sqlite3_db_readonly(db, "main") == 1) {
    return Error(Kind::kUnavailable, name_ + ": it is read-only");
  }
  BJ_TRY(UseWriteAheadLog());
  // synchronous=FULL: a commit that was acknowledged survives a power cut.
  return Script(
      "PRAGMA synchronous=FULL; PRAGMA foreign_keys=ON; PRAGMA temp_store=MEMORY;"
      "PRAGMA case_sensitive_like=ON; PRAGMA journal_size_limit=67108864",
      options_.patience);
}

// Retries until `patience` has passed: while another process switches a new file to WAL mode,
// SQLite answers "busy" without waiting.
Result<> SqliteDatabase::UseWriteAheadLog() {
  const auto give_up = Time::now() + options_.patience;
  for (;;) {
    std::vector<Row> answer;
    auto asked = Run("PRAGMA journal_mode=WAL", {}, &answer);
    if (asked) {
      if (answer == std::vector<Row>{{Value("wal")}}) return {};
      return Error(Kind::kUnavailable, name_ + ": its file system cannot keep a write-ahead log");
    }
    const bool busy = (::sqlite3_errcode(db_.get()) & 0xff) == SQLITE_BUSY;
    if (!busy || Time::now() > give_up) return asked;
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
}

Result<> SqliteDatabase::Script(const char* sql, Time::duration limit) {
  deadline_ = Time::now() + limit;
  const int code = ::sqlite3_exec(db_.get(), sql, nullptr, nullptr, nullptr);
  if (code != SQLITE_OK) return Failure(code);
  return {};
}

Result<sqlite3_stmt*> SqliteDatabase::Prepare(std::string_view sql) {
  if (const auto known = prepared_.find(sql); known != prepared_.end()) return known->second.get();
  const auto compile = [&](const char* from, const char** rest, Prepared& statement) {
    const auto size = static_cast<int>(sql.data() + sql.size() - from);
    sqlite3_stmt* made = nullptr;
    const int code =
        ::sqlite3_prepare_v3(db_.get(), from, size, SQLITE_PREPARE_PERSISTENT, &made, rest);
    statement.reset(made);
    return code;
  };
  const char* rest = nullptr;
  Prepared statement, second;
  if (const int code = compile(sql.data(), &rest, statement); code != SQLITE_OK) {
    return Failure(code);
  }
  if (!statement) return Error(Kind::kInvalid, "the statement is empty");
  // Only white space and comments may follow the first statement; they compile to nothing.
  if (compile(rest, &rest, second) != SQLITE_OK || second) {
    return Error(Kind::kInvalid, "a statement text must hold one statement");
  }
  if (prepared_.size() >= kMaxPrepared) prepared_.clear();
  return prepared_.emplace(sql, std::move(statement)).first->second.get();
}

Result<> SqliteDatabase::Run(std::string_view sql, std::span<const Value> params,
                             std::vector<Row>* rows) {
  BJ_TRY(CheckParams(params));
  BJ_TRY(CheckStatement(sql, params.size()));
  deadline_ = Time::now() + options_.statement_limit;
  sqlite3_stmt* const statement = BJ_TRY(Prepare(sql));
  auto done = [&]() -> Result<> {
    const Rewind rewind(statement);
    BJ_TRY(BindAll(statement, params));
    return Step(statement, rows);
  }();
  auto state = CheckState();
  return done ? std::move(state) : std::move(done);
}

Result<> SqliteDatabase::Step(sqlite3_stmt* statement, std::vector<Row>* rows) {
  ResultMeter meter;
  for (;;) {
    const int code = ::sqlite3_step(statement);
    if (code == SQLITE_DONE) return {};
    if (code != SQLITE_ROW) return Failure(code);
    if (rows == nullptr) continue;
    Row row;
    const int columns = ::sqlite3_data_count(statement);
    for (int column = 0; column < columns; ++column) row.push_back(ReadValue(statement, column));
    BJ_TRY(meter.Count(row));
    rows->push_back(std::move(row));
  }
}

// SQLite may roll a transaction back by itself when the disk is full; the statements after that
// must not be committed one by one.
Result<> SqliteDatabase::CheckState() {
  const bool open = ::sqlite3_get_autocommit(db_.get()) == 0;
  if (open == in_transaction()) return {};
  Rollback();
  return Error(Kind::kInternal, name_ + ": a statement has opened or ended a transaction");
}

}  // namespace

Result<std::unique_ptr<Database>> OpenSqlite(const std::string& path, const Options& options) {
  if (!path.starts_with('/')) {
    return Error(Kind::kInvalid, "sqlite: must be followed by an absolute path");
  }
  auto database = std::make_unique<SqliteDatabase>(path, options);
  BJ_TRY(database->Connect(path));
  return std::unique_ptr<Database>(std::move(database));
}

}  // namespace belljar::storage
