// What a policy says of databases: which ones a run may ask, as whom, how much, and whether it may
// ask for a write. Plain values; nothing that is not listed is there.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <string>

#include "base/result.h"

namespace belljar::policy {

enum class DatabaseWrites {
  kNever,
  kAsk,  // a person sees each, and it is committed if they agree
};

struct DatabaseTerms {
  // Where it is: exactly one of the two.
  std::string sqlite;    // a path
  std::string postgres;  // what libpq connects by: "env:NAME" or "file:/PATH"

  std::string write_postgres;     // the same for writes, where that is another login
  std::string role, write_role;   // of PostgreSQL: taken before the statement; empty: the login's
  bool unsafe_superuser = false;  // a login that can do everything is not refused
  DatabaseWrites write = DatabaseWrites::kNever;

  std::uint64_t max_rows = 10'000;  // of an answer; what is beyond is left out and told
  std::uint64_t max_bytes = 1U << 20;
  std::chrono::milliseconds timeout{10'000};  // of a statement
  std::chrono::milliseconds hold{120'000};    // how long a write waits for a person
  std::uint64_t max_calls = 1'000;            // of one run, or of a session as a whole
  std::uint64_t calls_per_minute = 120;
  std::uint64_t max_connections = 8;  // at a time, of all cells together
  bool operator==(const DatabaseTerms&) const = default;
};
// By name.
using Databases = std::map<std::string, DatabaseTerms, std::less<>>;

constexpr std::size_t kMostDatabases = 32;

// What one table says must make sense as a whole.
Result<> CheckDatabase(const DatabaseTerms& terms);

}  // namespace belljar::policy
