// DatabaseTerms: what a policy allows of databases: which ones a run may query, under which login,
// how much, and whether it may request writes. Plain values; databases that are not listed do not
// exist for a run.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <string>

#include "foundation/base/result.h"

namespace belljar::judgement::policy {

enum class DatabaseWrites {
  kNever,
  kAsk,  // a person sees each write; it is committed if they approve
};

struct DatabaseTerms {
  // The location: exactly one of the two is set.
  std::string sqlite;    // a file path
  std::string postgres;  // where to read libpq's connection string: "env:NAME" or "file:/PATH"

  std::string write_postgres;  // the same for writes, if they use another login
  // PostgreSQL roles set before the statement (SET ROLE); empty: none
  std::string role, write_role;
  bool unsafe_superuser = false;  // accept a login that is a superuser
  DatabaseWrites write = DatabaseWrites::kNever;

  std::uint64_t max_rows = 10'000;  // per answer; further rows are dropped, and the answer says so
  std::uint64_t max_bytes = 1U << 20;
  std::chrono::milliseconds timeout{10'000};  // per statement
  std::chrono::milliseconds hold{120'000};    // how long a write waits for a person
  std::uint64_t max_calls = 1'000;            // per run; for a session over its lifetime
  std::uint64_t calls_per_minute = 120;
  std::uint64_t max_connections = 8;  // at a time, over all cells
  bool operator==(const DatabaseTerms&) const = default;
};
// The key is the database's name.
using Databases = std::map<std::string, DatabaseTerms, std::less<>>;

constexpr std::size_t kMostDatabases = 32;

// Checks the combination of values of one table.
Result<> CheckDatabase(const DatabaseTerms& terms);

}  // namespace belljar::judgement::policy
