// Job and Answer: one statement for a database and its result. Plain values, with their JSON form.
//
// A value that JSON cannot express exactly is an object with one member: bytes are {"$bytes":
// base64}, integers beyond 53 bits {"$int": "digits"}, NaN and infinities {"$number": "NaN"},
// values of json columns {"$json": "text"}. Parameters may use the first two.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

#include "foundation/base/json.h"
#include "foundation/base/result.h"

namespace belljar::resource::database {

enum class Engine { kSqlite, kPostgres };

// The database that a statement runs in, and the login it uses.
struct Place {
  Engine engine = Engine::kSqlite;
  std::string where;              // a file path, or libpq's connection string
  std::string role;               // a PostgreSQL role to set; empty: the login's own
  bool unsafe_superuser = false;  // the login may be a superuser
  bool operator==(const Place&) const = default;
};

enum class Task {
  kQuery,     // one statement that only reads
  kWrite,     // one statement that writes, in a transaction that stays open until it is committed
  kDescribe,  // list tables and columns; there is no statement
};
// "query", "write" or "describe".
std::string_view TaskName(Task task);

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
  std::uint64_t changed = 0;  // rows that the statement has changed
};

// Limits on a statement and its parameters as written by a program.
constexpr std::size_t kMaxStatementBytes = 256U << 10;
constexpr std::size_t kMostParams = 1'000;

json::object ToJson(const Job& job);
Result<Job> JobFromJson(const json::object& told);
json::object ToJson(const Answer& answer);

// Values as JSON: plain where JSON is exact, otherwise as tagged objects.
json::value WholeNumber(std::int64_t number);
json::value RealNumber(double number);
json::value Bytes(std::string_view bytes);
json::value TextOrBytes(std::string_view text);

// Parses {"$bytes"} or {"$int"}: the bytes, or the digits. Any other object is an error.
struct TaggedParam {
  bool is_bytes = false;
  std::string value;
};
Result<TaggedParam> ReadTagged(const json::value& param);

// Collects rows up to the limits.
class Rows {
 public:
  explicit Rows(const Bounds& bounds) : bounds_(bounds) {}

  // Returns false when the row no longer fits; the answer is then marked as truncated. A first row
  // that is too large by itself is an error, since a retry would fail too.
  Result<bool> Add(json::array row);
  Answer Finish(json::array columns) &&;

 private:
  const Bounds bounds_;
  std::uint64_t bytes_ = 0;
  bool truncated_ = false;
  json::array rows_;
};

}  // namespace belljar::resource::database
