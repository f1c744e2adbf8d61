#include "judgement/policy/databases.h"

#include "foundation/base/quote.h"

namespace belljar::judgement::policy {
namespace {

Result<> CheckSecret(std::string_view key, const std::string& from) {
  if (from.empty() || (from.starts_with("env:") && from.size() > 4)) return {};
  if (from.starts_with("file:/")) return {};
  return Invalid("\"{}\" takes \"env:NAME\" or \"file:/PATH\": a policy holds no secrets", key);
}

// Refuses names that PostgreSQL would not treat as a role: SET ROLE none, a NUL, or more than 63
// bytes.
Result<> CheckRole(std::string_view key, const std::string& role) {
  if (role.size() <= 63 && role != "none" && role.find('\0') == std::string::npos) return {};
  return Invalid("\"{}\" is no name of a role", key);
}

}  // namespace

Result<> CheckDatabase(const DatabaseTerms& terms) {
  if (terms.sqlite.empty() == terms.postgres.empty()) {
    return Invalid("needs exactly one of \"sqlite\" and \"postgres\"");
  }
  if (!terms.sqlite.empty() && terms.sqlite.front() != '/') {
    return Invalid("\"sqlite\" takes an absolute path");
  }
  const bool only_postgres = !terms.role.empty() || !terms.write_role.empty() ||
                             !terms.write_postgres.empty() || terms.unsafe_superuser;
  if (!terms.sqlite.empty() && only_postgres) {
    return Invalid("roles, \"write_postgres\" and \"unsafe_superuser\" belong to a \"postgres\"");
  }
  BJ_TRY(CheckSecret("postgres", terms.postgres));
  BJ_TRY(CheckSecret("write_postgres", terms.write_postgres));
  BJ_TRY(CheckRole("role", terms.role));
  BJ_TRY(CheckRole("write_role", terms.write_role));
  const bool writes = terms.write == DatabaseWrites::kAsk;
  if (!writes && !(terms.write_role.empty() && terms.write_postgres.empty())) {
    return Invalid("\"write_role\" and \"write_postgres\" need write = \"ask\"");
  }
  // Reads with a role and writes without one would give writes the rights of the login itself.
  if (writes && terms.write_role.empty() && terms.write_postgres.empty() && !terms.role.empty()) {
    return Invalid(
        "write = \"ask\" beside a \"role\" needs a \"write_role\" or \"write_postgres\"");
  }
  return {};
}

}  // namespace belljar::judgement::policy
