#include "service/callers/caller.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

namespace belljar::service::callers {
namespace {

constexpr std::size_t kMaxName = 64;
constexpr std::string_view kUidPrefix = "uid:";
constexpr std::string_view kDaemonsOwnName = "belljar";  // appears in audit records
constexpr std::string_view kAlphanumeric =
    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";

}  // namespace

std::string_view ScopeName(Scope scope) {
  constexpr std::array<std::string_view, kAllScopes.size()> kNames = {"run", "sessions", "approve",
                                                                      "audit", "admin"};
  return kNames[static_cast<std::size_t>(scope)];
}

Result<Scope> ParseScope(std::string_view name) {
  for (const Scope scope : kAllScopes) {
    if (name == ScopeName(scope)) return scope;
  }
  return Error(Kind::kInvalid,
               "a scope is one of run, sessions, approve, audit and admin, and nothing else");
}

std::string Scopes::Text() const {
  std::string text;
  for (const Scope scope : kAllScopes) {
    if (!Has(scope)) continue;
    if (!text.empty()) text += ' ';
    text += ScopeName(scope);
  }
  return text;
}

Result<Scopes> Scopes::Parse(std::string_view text) {
  Scopes scopes;
  for (std::size_t start = 0; start < text.size();) {
    const std::size_t space = std::min(text.find(' ', start), text.size());
    const Scope scope = BJ_TRY(ParseScope(text.substr(start, space - start)));
    scopes.Add(scope);
    start = space + 1;
  }
  return scopes;
}

Result<> ValidateQuotas(const Quotas& quotas) {
  const auto too_many = [](std::string_view what, std::uint64_t most) {
    return Error(Kind::kInvalid, fmt::format("a caller may have at most {} {}", most, what));
  };
  if (quotas.concurrent_runs > Quotas::kMost) return too_many("runs at once", Quotas::kMost);
  if (quotas.sessions > Quotas::kMost) return too_many("sessions", Quotas::kMost);
  if (quotas.runs_per_minute > Quotas::kMost) return too_many("runs per minute", Quotas::kMost);
  if (quotas.memory_bytes > Quotas::kMostBytes) {
    return too_many("bytes of memory", Quotas::kMostBytes);
  }
  return {};
}

Result<> ValidateName(std::string_view name) {
  if (name == kDaemonsOwnName) {
    return Error(Kind::kInvalid, "the log calls the service itself \"belljar\": use another name");
  }
  const bool long_enough = !name.empty() && name.size() <= kMaxName;
  const auto allowed = [](char c) {
    return kAlphanumeric.find(c) != std::string_view::npos ||
           std::string_view("._@-").find(c) != std::string_view::npos;
  };
  if (long_enough && kAlphanumeric.find(name.front()) != std::string_view::npos &&
      std::all_of(name.begin(), name.end(), allowed)) {
    return {};
  }
  return Error(Kind::kInvalid,
               "a caller's name has 1 to 64 letters, digits and . _ @ -, and begins with a letter "
               "or digit");
}

std::string UidName(uid_t uid) { return fmt::format("{}{}", kUidPrefix, uid); }

std::optional<uid_t> ParseUidName(std::string_view name) {
  if (!name.starts_with(kUidPrefix)) return std::nullopt;
  uid_t uid = 0;
  const std::string_view digits = name.substr(kUidPrefix.size());
  const auto read = std::from_chars(digits.data(), digits.data() + digits.size(), uid);
  // Accepts only the canonical spelling, and not -1, which system calls use for "no user".
  if (read.ec != std::errc() || UidName(uid) != name || uid == static_cast<uid_t>(-1)) {
    return std::nullopt;
  }
  return uid;
}

}  // namespace belljar::service::callers
