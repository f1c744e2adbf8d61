// One statement for a database, and its answer: plain values, and how they travel as JSON.
//
// What JSON cannot say exactly is an object with one member: bytes are {"$bytes": base64}, whole
// numbers beyond 53 bits {"$int": "digits"}, numbers that are none {"$number": "NaN"}, values of
// json columns {"$json": "text"}. Parameters take the first two.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/json.h"
#include "base/result.h"

namespace belljar::database {

enum class Engine { kSqlite, kPostgres };

// Where the statement is run, and as whom.
struct Place {
  Engine engine = Engine::kSqlite;
  std::string where;              // a path, or what libpq connects by
  std::string role;               // of PostgreSQL; empty: the login's own
  bool unsafe_superuser = false;  // a login may be able to do everything
  bool operator==(const Place&) const = default;
};

enum class Task {
  kQuery,     // one statement that reads
  kWrite,     // one that writes, in a transaction that stays open until it is committed
  kDescribe,  // tables and columns; there is no statement
};

struct Bounds {
  std::uint64_t max_rows = 10'000;
  std::uint64_t max_bytes = 1U << 20;
  std::chrono::milliseconds timeout{10'000};
  std::chrono::milliseconds hold{120'000};  // how long a transaction may stay open
  bool operator==(const Bounds&) const = default;
};

struct Job {
  Place place{};
  Task task = Task::kQuery;
  std::string sql{};
  json::array params{};
  Bounds bounds{};
};

struct Answer {
  json::array columns;  // {"name", "type"}
  json::array rows;     // arrays
  bool truncated = false;
  std::uint64_t changed = 0;  // rows that were written
};

// A statement with its parameters, as written by a program.
constexpr std::size_t kMaxStatementBytes = 256U << 10;
constexpr std::size_t kMostParams = 1'000;

json::object ToJson(const Job& job);
Result<Job> JobFromJson(const json::object& told);
json::object ToJson(const Answer& answer);

// As JSON: exactly where JSON can, else as above.
json::value WholeNumber(std::int64_t number);
json::value RealNumber(double number);
json::value Bytes(std::string_view bytes);
json::value TextOrBytes(std::string_view text);

// The bytes of {"$bytes"}, or the digits of {"$int"}; what else an object says is an error.
struct TaggedParam {
  bool is_bytes = false;
  std::string value;
};
Result<TaggedParam> ReadTagged(const json::value& param);

// Rows as they come, up to the bounds.
class Rows {
 public:
  explicit Rows(const Bounds& bounds) : bounds_(bounds) {}

  // False: it has no place any more, and the answer is marked as cut. A first row that is too large
  // by itself is an error, since the program could only ask again.
  Result<bool> Add(json::array row);
  Answer Finish(json::array columns) &&;

 private:
  const Bounds bounds_;
  std::uint64_t bytes_ = 0;
  bool truncated_ = false;
  json::array rows_;
};

}  // namespace belljar::database
