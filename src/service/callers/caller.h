// Caller: the identity of a client of the service, its permissions (scopes) and its quotas. Plain
// values.
//
// A caller is identified by a token (its name was chosen when the token was made) or, on a Unix
// socket, by the uid that the kernel reports ("uid:1000"). Scopes do not imply one another: `admin`
// alone cannot run anything.
#pragma once

#include <sys/types.h>

#include <array>
#include <cstdint>
#include <initializer_list>
#include <limits>
#include <optional>
#include <string>
#include <string_view>

#include "foundation/base/result.h"

namespace belljar::service::callers {

enum class Scope : std::uint8_t { kRun, kSessions, kApprove, kAudit, kAdmin };

constexpr std::array kAllScopes = {Scope::kRun, Scope::kSessions, Scope::kApprove, Scope::kAudit,
                                   Scope::kAdmin};

// The name of a scope: "run", "sessions", "approve", "audit", "admin".
std::string_view ScopeName(Scope scope);
Result<Scope> ParseScope(std::string_view name);

// A set of scopes; empty at first.
class Scopes {
 public:
  constexpr Scopes() = default;
  constexpr Scopes(std::initializer_list<Scope> scopes) {
    for (const Scope scope : scopes) Add(scope);
  }
  static constexpr Scopes All() {
    Scopes all;
    for (const Scope scope : kAllScopes) all.Add(scope);
    return all;
  }

  constexpr void Add(Scope scope) { bits_ |= 1U << static_cast<unsigned>(scope); }
  constexpr bool Has(Scope scope) const {
    return (bits_ & (1U << static_cast<unsigned>(scope))) != 0;
  }
  constexpr bool empty() const { return bits_ == 0; }
  bool operator==(const Scopes&) const = default;

  // The names in the order of the enum, separated by spaces: "run audit".
  std::string Text() const;
  static Result<Scopes> Parse(std::string_view text);

 private:
  unsigned bits_ = 0;
};

// How much of the machine a caller may use. 0 allows nothing.
struct Quotas {
  std::uint32_t concurrent_runs = 32;
  std::uint32_t sessions = 32;
  std::uint32_t runs_per_minute = 1'200;
  std::uint64_t memory_bytes = std::uint64_t{16} << 30;  // all runs and sessions together

  static constexpr std::uint32_t kMost = 1'000'000;  // upper bound for the first three
  static constexpr std::uint64_t kMostBytes = std::uint64_t{1} << 50;
  // Larger than any quota that can be configured: only the machine's capacity limits such a caller.
  static constexpr std::uint32_t kNoLimit = std::numeric_limits<std::uint32_t>::max();
  static constexpr std::uint64_t kNoLimitBytes = std::numeric_limits<std::int64_t>::max();
  static constexpr Quotas Unlimited() { return {kNoLimit, kNoLimit, kNoLimit, kNoLimitBytes}; }

  bool operator==(const Quotas&) const = default;
};

// Checks the ranges; the error names the quota.
Result<> ValidateQuotas(const Quotas& quotas);

struct Caller {
  std::string name;
  Scopes scopes;
  Quotas quotas;
  bool operator==(const Caller&) const = default;
};

// Validates a token's name: 1 to 64 letters, digits and ". _ @ -", beginning with a letter or
// digit. Such names are printable everywhere and cannot be mistaken for "uid:N".
Result<> ValidateName(std::string_view name);

std::string UidName(uid_t uid);                            // "uid:1000"
std::optional<uid_t> ParseUidName(std::string_view name);  // nullopt for any other spelling

}  // namespace belljar::service::callers
