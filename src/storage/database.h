// Database: rows that outlive the process, in SQLite (one machine) or PostgreSQL (a fleet).
//
// Both speak one dialect, so that whoever stores something writes it once: placeholders are
// $1 … $n, LIKE tells case apart, text sorts by its bytes with COLLATE "C", double quotes hold
// names only, and a statement text is one statement. Column types that mean the same to both are
// TEXT, BIGINT and DOUBLE PRECISION; for the words that differ see Migration. Statement texts are
// constants of the program: data travels only as parameters.
//
// One connection, and one thread at a time on it: SQLite has one writer anyway, statements are
// short and their results bounded, and a transaction belongs to a connection. A thread waits
// `patience` for its turn at the most. Whoever wants to read beside a busy writer opens a second
// Database of the same place: readers do not wait for writers in either kind.
//
// Failure. Locked, full, read-only, out of reach: the call fails with Kind::kUnavailable or
// kExhausted, nothing of it is kept, and the next call tries anew; no restart is needed. A lost
// PostgreSQL connection is made again by the next call outside a transaction. A statement that
// was on its way when the connection broke is never sent a second time: its fate is unknown, and
// the error says so. A violated constraint or a value the database refuses is kInvalid.
//
// Thread-safe. Statements that change the state of a transaction (BEGIN, COMMIT …) are refused:
// there is Transaction().
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

#include "base/result.h"
#include "storage/gate.h"

namespace belljar::storage {

// Bytes that are no text. A struct of its own, so that text and bytes are never mixed up, around
// a std::string, because that is what carries bytes everywhere else.
struct Blob {
  std::string bytes;
  bool operator==(const Blob&) const = default;
};

// A std::string is text: UTF-8 without NUL. A double is finite. Anything else is refused by both
// kinds, since one of them could not keep it.
using Value = std::variant<std::monostate, std::int64_t, double, std::string, Blob>;
using Row = std::vector<Value>;

// One step of a schema. `sql` may be several statements. In it stand for each dialect's own words
//   $ID    a column's type: a 64-bit number, the primary key, given out by the database, ascending
//   $BLOB  the type for bytes
// and any other $WORD is an error.
struct Migration {
  int version;  // from 1 on, ascending
  std::string_view sql;
};

struct Options {
  std::chrono::milliseconds patience{5'000};          // for a lock, a turn, a connection
  std::chrono::milliseconds statement_limit{30'000};  // for one statement of PostgreSQL
};

constexpr std::size_t kMaxRows = 10'000;            // of one Query
constexpr std::size_t kMaxResultBytes = 64U << 20;  // of one Query
constexpr std::size_t kMaxParams = 256;
constexpr std::size_t kMaxValueBytes = 16U << 20;

class Database {
 public:
  // "sqlite:/path/file.db" (made with mode 0600 if it is missing), or "postgresql://…", also
  // "postgres://…". No error ever repeats `where`: it may hold a password.
  static Result<std::unique_ptr<Database>> Open(const std::string& where);
  static Result<std::unique_ptr<Database>> Open(const std::string& where, const Options& options);
  virtual ~Database();
  Database(const Database&) = delete;
  Database& operator=(const Database&) = delete;

  // The rows of one statement. More than kMaxRows or kMaxResultBytes is an error (kExhausted),
  // not a cut: say LIMIT, and page.
  virtual Result<std::vector<Row>> Query(std::string_view sql, std::span<const Value> params) = 0;
  // How many rows an INSERT, UPDATE or DELETE has touched; 0 for other statements.
  virtual Result<std::uint64_t> Execute(std::string_view sql, std::span<const Value> params) = 0;

  // All or nothing: an Error from `work`, or of any statement in it whether `work` minded or not,
  // undoes everything and is returned. `work` is called once and uses this Database; statements
  // of other threads wait. Of all the transactions on one database, from whichever process, one
  // goes on at a time, so that what `work` has read stays true until the end (single statements of
  // others excepted, with PostgreSQL). A Transaction within `work` is part of the outer one.
  Result<> Transaction(const std::function<Result<>()>& work);

  // Brings the schema named `component` to the newest version, each step in a transaction, and
  // remembers it in the table belljar_schema. A database that is newer than `steps` is refused.
  Result<> Migrate(std::string_view component, std::span<const Migration> steps);

 protected:
  explicit Database(const Options& options);

  // What the two kinds fill in; called with the gate held.
  virtual Result<> Begin() = 0;
  virtual Result<> Commit() = 0;
  virtual void Rollback() = 0;  // also of a transaction that has ended by itself
  virtual Result<> RunScript(const std::string& sql) = 0;  // several statements, no parameters
  virtual std::string_view WordFor(std::string_view word) const = 0;  // of ID, BLOB; "" is unknown
  virtual const std::string& name() const = 0;                        // for error messages

  // Waits for this thread's turn; refuses when the thread's transaction has already failed.
  Result<Gate::Turn> Enter();
  bool in_transaction() const { return in_transaction_; }
  // Remembers a failure within a transaction, and hands it on.
  Error Doom(Error error);

  const Options options_;

 private:
  Result<> RunWork(const std::function<Result<>()>& work);
  Result<> MigrateOne(std::string_view component, const Migration& step, int newest);
  Result<int> VersionOf(std::string_view component, int newest);
  Result<std::string> Translate(std::string_view sql) const;

  Gate gate_;
  bool in_transaction_ = false;       // of the thread that has the gate
  std::optional<Error> doomed_by_{};  // the first failure of the transaction
};

}  // namespace belljar::storage
