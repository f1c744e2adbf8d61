// SQLite backend of Transaction. SQLite's authorizer callback decides what a statement may do,
// based on SQLite's own parse of it; opening the file read-only prevents writes.
#include <fmt/format.h>
#include <sqlite3.h>
#include <sys/stat.h>

#include <array>
#include <string_view>

#include "foundation/base/sys.h"
#include "resource/database/transaction.h"

namespace belljar::resource::database {
namespace {

using Clock = std::chrono::steady_clock;

// Virtual machine instructions between deadline checks: a fraction of a millisecond.
constexpr int kStepsBetweenLooks = 10'000;

constexpr char kSqliteTables[] =
    "SELECT 'main', m.name, m.type, p.name, p.type, NOT p.\"notnull\" FROM sqlite_schema m "
    "JOIN pragma_table_info(m.name) p WHERE m.type IN ('table', 'view') "
    "AND m.name NOT LIKE 'sqlite!_%' ESCAPE '!' ORDER BY m.name, p.cid";

struct CloseFile {
  void operator()(sqlite3* db) const { ::sqlite3_close_v2(db); }
};
struct EndStatement {
  void operator()(sqlite3_stmt* statement) const { ::sqlite3_finalize(statement); }
};
using File = std::unique_ptr<sqlite3, CloseFile>;
using Statement = std::unique_ptr<sqlite3_stmt, EndStatement>;

Kind KindOfCode(int code) {
  switch (code & 0xff) {
    case SQLITE_FULL:
    case SQLITE_NOMEM:
    case SQLITE_TOOBIG:
    case SQLITE_INTERRUPT:
      return Kind::kExhausted;
    case SQLITE_AUTH:
    case SQLITE_READONLY:
      return Kind::kDenied;
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
    case SQLITE_CANTOPEN:
    case SQLITE_IOERR:
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB:
      return Kind::kUnavailable;
    default:
      return Kind::kInvalid;  // a mistake in the statement, or a violated constraint
  }
}

// The actions that SQLite's parser reports and that are allowed. Everything else is refused:
// attaching files, pragmas, transactions and savepoints, schema changes.
bool IsReading(int action) {
  return action == SQLITE_SELECT || action == SQLITE_READ || action == SQLITE_FUNCTION ||
         action == SQLITE_RECURSIVE;
}
bool IsWriting(int action) {
  return action == SQLITE_INSERT || action == SQLITE_UPDATE || action == SQLITE_DELETE;
}

// Allows the actions with which a virtual table declares itself when it is first used. SQLite
// reports the declaration as a schema change, but it cannot change anything: for a query the file
// is open read-only, and no statement may write to sqlite_master. The pragmas that the module reads
// are harmless.
bool IsOfAVirtualTable(int action, std::string_view first, std::string_view second) {
  if (action == SQLITE_UPDATE) return first == "sqlite_master" || first == "sqlite_temp_master";
  return action == SQLITE_PRAGMA && second.empty() &&
         (first == "data_version" || first == "page_size");
}

// Refused tables and functions: raw pages of the file, including deleted data; loading of code; and
// access to pointers.
bool IsClosed(int action, std::string_view first, std::string_view second) {
  const auto is = [](std::string_view name, const char* closed) {
    return ::sqlite3_stricmp(std::string(name).c_str(), closed) == 0;
  };
  if (action == SQLITE_READ) return is(first, "sqlite_dbpage");
  return action == SQLITE_FUNCTION &&
         (is(second, "load_extension") || is(second, "fts3_tokenizer"));
}

json::value ValueAt(sqlite3_stmt* statement, int column) {
  const auto size = [&] {
    return static_cast<std::size_t>(::sqlite3_column_bytes(statement, column));
  };
  switch (::sqlite3_column_type(statement, column)) {
    case SQLITE_INTEGER:
      return WholeNumber(::sqlite3_column_int64(statement, column));
    case SQLITE_FLOAT:
      return RealNumber(::sqlite3_column_double(statement, column));
    case SQLITE_TEXT: {
      const auto* text = reinterpret_cast<const char*>(::sqlite3_column_text(statement, column));
      return text == nullptr ? json::value() : TextOrBytes({text, size()});
    }
    case SQLITE_BLOB: {
      const auto* bytes = static_cast<const char*>(::sqlite3_column_blob(statement, column));
      return bytes == nullptr ? Bytes("") : Bytes({bytes, size()});
    }
    default:
      return nullptr;
  }
}

class SqliteTransaction final : public Transaction {
 public:
  SqliteTransaction(File file, Task task, Clock::time_point deadline)
      : file_(std::move(file)), task_(task), deadline_(deadline) {}

  Result<> Prepare(const Bounds& bounds);
  Result<Answer> Run(const Job& job) override;
  Result<> Commit() override;
  void Interrupt() override { ::sqlite3_interrupt(file_.get()); }

 private:
  Error Failure() const;
  void Limit(const Bounds& bounds);
  static int Authorise(void* self, int action, const char* first, const char* second, const char*,
                       const char*);
  Result<> Do(const char* sql);
  Result<Statement> Parse(const std::string& sql);
  Result<> Bind(sqlite3_stmt* statement, const json::array& params);
  Result<> BindOne(sqlite3_stmt* statement, int place, const json::value& param);
  Result<Answer> Step(sqlite3_stmt* statement, const Bounds& bounds);

  File file_;
  const Task task_;
  const Clock::time_point deadline_;
  bool refused_ = false;  // the authorizer has refused a part of the statement
};

int SqliteTransaction::Authorise(void* self, int action, const char* first, const char* second,
                                 const char*, const char*) {
  auto& transaction = *static_cast<SqliteTransaction*>(self);
  const std::string_view one = first == nullptr ? "" : first;
  const std::string_view two = second == nullptr ? "" : second;
  const bool allowed = IsReading(action) || IsOfAVirtualTable(action, one, two) ||
                       (transaction.task_ == Task::kWrite && IsWriting(action));
  if (allowed && !IsClosed(action, one, two)) return SQLITE_OK;
  transaction.refused_ = true;
  return SQLITE_DENY;
}

Error SqliteTransaction::Failure() const {
  const int code = ::sqlite3_extended_errcode(file_.get());
  if ((code & 0xff) == SQLITE_INTERRUPT) {
    return Error(Kind::kExhausted, "the statement took longer than the policy allows");
  }
  // A refusal inside a function or virtual table surfaces as that function's error, so refused_ is
  // checked too.
  if ((code & 0xff) == SQLITE_AUTH || (refused_ && KindOfCode(code) == Kind::kInvalid)) {
    return Error(Kind::kDenied, task_ == Task::kWrite
                                    ? "only SELECT, INSERT, UPDATE and DELETE can be run here"
                                    : "only what reads can be run here");
  }
  return Error(KindOfCode(code), ::sqlite3_errmsg(file_.get()));
}

Result<> SqliteTransaction::Do(const char* sql) {
  if (::sqlite3_exec(file_.get(), sql, nullptr, nullptr, nullptr) == SQLITE_OK) return {};
  return Failure();
}

void SqliteTransaction::Limit(const Bounds& bounds) {
  sqlite3* const db = file_.get();
  const auto longest = static_cast<int>(std::max<std::uint64_t>(bounds.max_bytes * 2, 1U << 20));
  ::sqlite3_limit(db, SQLITE_LIMIT_LENGTH, longest);
  ::sqlite3_limit(db, SQLITE_LIMIT_SQL_LENGTH, kMaxStatementBytes);
  ::sqlite3_limit(db, SQLITE_LIMIT_EXPR_DEPTH, 200);
  ::sqlite3_limit(db, SQLITE_LIMIT_COMPOUND_SELECT, 100);
  ::sqlite3_limit(db, SQLITE_LIMIT_ATTACHED, 0);
  ::sqlite3_limit(db, SQLITE_LIMIT_TRIGGER_DEPTH, 100);
  ::sqlite3_limit(db, SQLITE_LIMIT_WORKER_THREADS, 0);
  ::sqlite3_db_config(db, SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr);
  ::sqlite3_db_config(db, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, nullptr);
  ::sqlite3_db_config(db, SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION, 0, nullptr);
  ::sqlite3_progress_handler(
      db, kStepsBetweenLooks,
      [](void* until) {
        return Clock::now() > *static_cast<const Clock::time_point*>(until) ? 1 : 0;
      },
      const_cast<Clock::time_point*>(&deadline_));
  ::sqlite3_busy_timeout(db, static_cast<int>(bounds.timeout.count()));
}

// The order matters: the setup uses pragmas, which the authorizer set afterwards does not allow.
Result<> SqliteTransaction::Prepare(const Bounds& bounds) {
  Limit(bounds);
  BJ_TRY(
      Do("PRAGMA temp_store = MEMORY; PRAGMA mmap_size = 0; PRAGMA cell_size_check = ON; "
         "PRAGMA foreign_keys = ON"));
  if (task_ == Task::kWrite) {
    // Without cache spill, nothing is written to the file before the commit, whatever the size of
    // the write.
    BJ_TRY(Do("PRAGMA cache_spill = OFF; BEGIN IMMEDIATE"));
  } else {
    BJ_TRY(Do("PRAGMA query_only = ON; BEGIN"));
  }
  if (task_ == Task::kDescribe) return {};
  ::sqlite3_set_authorizer(file_.get(), Authorise, this);
  return {};
}

Result<Statement> SqliteTransaction::Parse(const std::string& sql) {
  sqlite3_stmt* made = nullptr;
  const char* rest = nullptr;
  const auto parse = [&](const char* text) {
    return ::sqlite3_prepare_v3(file_.get(), text, -1, 0, &made, &rest);
  };
  if (parse(sql.c_str()) != SQLITE_OK) return Failure();
  Statement statement(made);
  if (!statement) return Error(Kind::kInvalid, "there is no statement");
  if (::sqlite3_stmt_isexplain(made) != 0) {
    return Error(Kind::kDenied, "EXPLAIN cannot be run here");
  }
  // The authorizer is not called for VACUUM.
  if (task_ == Task::kQuery && ::sqlite3_stmt_readonly(made) == 0) {
    return Error(Kind::kDenied, "only what reads can be run here");
  }
  // Only white space and comments may follow; they compile to no statement.
  made = nullptr;
  const int code = parse(rest);
  const Statement second(made);
  if (code != SQLITE_OK || second) return Error(Kind::kInvalid, "one statement at a time");
  return statement;
}

Result<> SqliteTransaction::BindOne(sqlite3_stmt* statement, int place, const json::value& param) {
  const auto done = [&](int code) -> Result<> {
    if (code == SQLITE_OK) return {};
    return Failure();
  };
  if (param.is_null()) return done(::sqlite3_bind_null(statement, place));
  if (param.is_bool()) return done(::sqlite3_bind_int(statement, place, param.get_bool() ? 1 : 0));
  if (const auto* whole = param.if_int64())
    return done(::sqlite3_bind_int64(statement, place, *whole));
  if (const auto* real = param.if_double())
    return done(::sqlite3_bind_double(statement, place, *real));
  if (const auto* text = param.if_string()) {
    return done(::sqlite3_bind_text64(statement, place, text->data(), text->size(),
                                      SQLITE_TRANSIENT, SQLITE_UTF8));
  }
  const TaggedParam tagged = BJ_TRY(ReadTagged(
      param.is_uint64() ? json::value{{"$int", std::to_string(param.get_uint64())}} : param));
  if (tagged.is_bytes) {
    return done(::sqlite3_bind_blob64(statement, place, tagged.value.data(), tagged.value.size(),
                                      SQLITE_TRANSIENT));
  }
  errno = 0;
  const long long whole = std::strtoll(tagged.value.c_str(), nullptr, 10);
  if (errno == ERANGE) return Error(Kind::kInvalid, "SQLite has whole numbers of 64 bits");
  return done(::sqlite3_bind_int64(statement, place, whole));
}

Result<> SqliteTransaction::Bind(sqlite3_stmt* statement, const json::array& params) {
  const auto wanted = static_cast<std::size_t>(::sqlite3_bind_parameter_count(statement));
  if (params.size() != wanted) {
    return Error(Kind::kInvalid, fmt::format("the statement has {} parameters, and {} are given",
                                             wanted, params.size()));
  }
  for (std::size_t i = 0; i < params.size(); ++i) {
    BJ_TRY(BindOne(statement, static_cast<int>(i + 1), params[i])
               .While(fmt::format("parameter {}", i + 1)));
  }
  return {};
}

Result<Answer> SqliteTransaction::Step(sqlite3_stmt* statement, const Bounds& bounds) {
  const int count = ::sqlite3_column_count(statement);
  json::array columns;
  for (int i = 0; i < count; ++i) {
    const char* const type = ::sqlite3_column_decltype(statement, i);
    const char* const name = ::sqlite3_column_name(statement, i);
    columns.push_back({{"name", TextOrBytes(name == nullptr ? "" : name)},
                       {"type", TextOrBytes(type == nullptr ? "" : type)}});
  }
  Rows rows(bounds);
  int code = ::sqlite3_step(statement);
  for (; code == SQLITE_ROW; code = ::sqlite3_step(statement)) {
    json::array row;
    row.reserve(static_cast<std::size_t>(count));
    for (int i = 0; i < count; ++i) row.push_back(ValueAt(statement, i));
    const bool room = BJ_TRY(rows.Add(std::move(row)));
    // A write runs to its end, even if its answer is truncated.
    if (!room && task_ != Task::kWrite) break;
  }
  if (code != SQLITE_ROW && code != SQLITE_DONE) return Failure();
  Answer answer = std::move(rows).Finish(std::move(columns));
  if (::sqlite3_stmt_readonly(statement) == 0) {
    // The total includes changes by triggers and cascades.
    answer.changed = static_cast<std::uint64_t>(::sqlite3_total_changes64(file_.get()));
  }
  return answer;
}

Result<Answer> SqliteTransaction::Run(const Job& job) {
  const bool describes = job.task == Task::kDescribe;
  const Statement statement = BJ_TRY(Parse(describes ? kSqliteTables : job.sql));
  BJ_TRY(Bind(statement.get(), job.params));
  Answer answer = BJ_TRY(Step(statement.get(), job.bounds));
  if (describes) answer.rows = GroupColumns(answer.rows);
  return answer;
}

Result<> SqliteTransaction::Commit() {
  ::sqlite3_set_authorizer(file_.get(), nullptr, nullptr);
  ::sqlite3_progress_handler(file_.get(), 0, nullptr, nullptr);
  return Do("COMMIT");
}

// Refuses pipes and devices, on which open() or reads could block forever.
Result<> CheckFile(const std::string& path) {
  struct stat seen {};
  BJ_TRY(Check("stat", path, [&] { return ::lstat(path.c_str(), &seen); }));
  if (S_ISREG(seen.st_mode)) return {};
  return Error(Kind::kInvalid, path + " is no regular file");
}

}  // namespace

Result<std::unique_ptr<Transaction>> BeginSqlite(const Job& job) {
  BJ_TRY(CheckFile(job.place.where));
  const int how = job.task == Task::kWrite ? SQLITE_OPEN_READWRITE : SQLITE_OPEN_READONLY;
  sqlite3* opened = nullptr;
  const int code = ::sqlite3_open_v2(job.place.where.c_str(), &opened,
                                     how | SQLITE_OPEN_NOFOLLOW | SQLITE_OPEN_FULLMUTEX, nullptr);
  File file(opened);
  if (code != SQLITE_OK) {
    return Error(Kind::kUnavailable, std::string("it cannot be opened: ") + ::sqlite3_errstr(code));
  }
  auto transaction = std::make_unique<SqliteTransaction>(std::move(file), job.task,
                                                         Clock::now() + job.bounds.timeout);
  BJ_TRY(transaction->Prepare(job.bounds));
  return std::unique_ptr<Transaction>(std::move(transaction));
}

}  // namespace belljar::resource::database
