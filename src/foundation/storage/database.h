// Database: rows that outlive the process, in SQLite (one machine) or PostgreSQL (a fleet).
//
// Both accept one SQL dialect, so that every caller writes a statement once: placeholders are $1 …
// $n, LIKE is case-sensitive, text sorts by its bytes with COLLATE "C", double quotes hold names
// only, and a text holds exactly one statement. The column types TEXT, BIGINT and DOUBLE PRECISION
// mean the same in both; for words that differ see Migration. Statement texts are constants of the
// program: data travels only as parameters.
//
// One connection, and one thread at a time on it: SQLite has one writer anyway, statements are
// short and their results bounded, and a transaction belongs to a connection. A thread waits at
// most `patience` for its turn. To read while another thread is busy writing, open a second
// Database of the same place: readers do not wait for writers in either kind.
//
// Failure. If the database is locked, full, read-only or unreachable, the call fails with
// Kind::kUnavailable or kExhausted, has no effect, and the next call tries anew; no restart is
// needed. A lost PostgreSQL connection is made again by the next call outside a transaction. A
// statement in flight when the connection broke is never sent a second time: it is unknown whether
// it took effect, and the error says so. A violated constraint or a value the database refuses is
// kInvalid.
//
// Thread-safe. Statements that begin or end a transaction (BEGIN, COMMIT …) are refused: use
// Transaction().
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "foundation/base/result.h"
#include "foundation/storage/gate.h"

namespace belljar::storage {

// A binary column value. A struct of its own, so that text and bytes cannot be confused; it wraps a
// std::string because the rest of the program carries bytes in strings.
struct Blob {
  std::string bytes;
  bool operator==(const Blob&) const = default;
};

// A std::string is text: UTF-8 without NUL. A double is finite. Both kinds of database refuse other
// values, because at least one of them could not store them.
using Value = std::variant<std::monostate, std::int64_t, double, std::string, Blob>;
using Row = std::vector<Value>;

// One step of a schema. `sql` may be several statements. These placeholders in it are replaced by
// the dialect's own words:
//   $ID    a column type: a 64-bit primary key that the database assigns, ascending
//   $BLOB  the column type for bytes
// Any other $WORD is an error.
struct Migration {
  int version;  // from 1 on, ascending
  std::string_view sql;
};

struct Options {
  std::chrono::milliseconds patience{5'000};          // to wait for a lock, a turn or a connection
  std::chrono::milliseconds statement_limit{30'000};  // for one statement in PostgreSQL
};

constexpr std::size_t kMaxRows = 10'000;            // per Query
constexpr std::size_t kMaxResultBytes = 64U << 20;  // per Query
constexpr std::size_t kMaxParams = 256;
constexpr std::size_t kMaxValueBytes = 16U << 20;

class Database {
 public:
  // `where` is "sqlite:/path/file.db" (created with mode 0600 if it is missing), "postgresql://…"
  // or "postgres://…". No error message repeats `where`: it may contain a password.
  static Result<std::unique_ptr<Database>> Open(const std::string& where);
  static Result<std::unique_ptr<Database>> Open(const std::string& where, const Options& options);
  virtual ~Database();
  Database(const Database&) = delete;
  Database& operator=(const Database&) = delete;

  // The rows of one statement. A result of more than kMaxRows or kMaxResultBytes is an error
  // (kExhausted), not cut: the caller uses LIMIT and pages.
  virtual Result<std::vector<Row>> Query(std::string_view sql, std::span<const Value> params) = 0;
  // Returns how many rows an INSERT, UPDATE or DELETE affected; 0 for other statements.
  virtual Result<std::uint64_t> Execute(std::string_view sql, std::span<const Value> params) = 0;

  // Runs `work` in a transaction. An Error returned by `work`, or by any statement in it even if
  // `work` ignored it, rolls everything back and is returned. `work` is called once and uses this
  // Database; statements of other threads wait meanwhile. Transactions on one database are
  // serialised across all processes, so what `work` has read stays true until its end (with
  // PostgreSQL, single statements of other connections are the exception). A Transaction within
  // `work` is part of the outer one.
  Result<> Transaction(const std::function<Result<>()>& work);

  // Brings the schema named `component` to the newest version, each step in its own transaction,
  // and records the version in the table belljar_schema. A database that is newer than `steps` is
  // refused.
  Result<> Migrate(std::string_view component, std::span<const Migration> steps);

 protected:
  explicit Database(const Options& options);

  // Implemented by each kind of database; called with the gate held.
  virtual Result<> Begin() = 0;
  virtual Result<> Commit() = 0;
  virtual void Rollback() = 0;  // also called when the transaction has already ended by itself
  virtual Result<> RunScript(const std::string& sql) = 0;  // several statements, no parameters
  // Returns the dialect's word for ID or BLOB; "" if `word` is unknown.
  virtual std::string_view WordFor(std::string_view word) const = 0;
  virtual const std::string& name() const = 0;  // for error messages

  // Waits for this thread's turn; fails if the thread's current transaction has already failed.
  Result<Gate::Turn> Enter();
  bool in_transaction() const { return in_transaction_; }
  // Records the first failure within a transaction, so that the transaction is rolled back, and
  // returns `error`.
  Error Doom(Error error);

  const Options options_;

 private:
  Result<> RunWork(const std::function<Result<>()>& work);
  Result<> MigrateOne(std::string_view component, const Migration& step, int newest);
  Result<int> VersionOf(std::string_view component, int newest);
  Result<std::string> Translate(std::string_view sql) const;

  Gate gate_;
  bool in_transaction_ = false;       // true for the thread that holds the gate
  std::optional<Error> doomed_by_{};  // the first failure of the transaction
};

}  // namespace belljar::storage
