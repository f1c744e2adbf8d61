#include <fmt/format.h>

#include "judgement/policy/policy_file_tools.h"

namespace belljar::judgement::policy {
namespace {

Result<DatabaseWrites> WritesOf(const toml::node& node) {
  const std::string text = BJ_TRY(TextOf(node));
  if (text == "never") return DatabaseWrites::kNever;
  if (text == "ask") return DatabaseWrites::kAsk;
  return Invalid("takes \"never\" or \"ask\"");
}

Result<> ReadHold(std::chrono::milliseconds& place, const toml::node& node) {
  const std::string text = BJ_TRY(QuantityOf(node));
  place = BJ_TRY(request::ParseDuration(text));
  if (place >= std::chrono::seconds(1) && place <= std::chrono::hours(1)) return {};
  return Invalid("is from 1 s to 1 h: a transaction stays open for so long, with its locks");
}

std::vector<KeyOf> DatabaseKeys(DatabaseTerms& terms) {
  return {{"sqlite", Into(terms.sqlite, TextOf)},
          {"postgres", Into(terms.postgres, TextOf)},
          {"write_postgres", Into(terms.write_postgres, TextOf)},
          {"role", Into(terms.role, TextOf)},
          {"write_role", Into(terms.write_role, TextOf)},
          {"unsafe_superuser", Into(terms.unsafe_superuser, FlagOf)},
          {"write", Into(terms.write, WritesOf)},
          {"max_rows", CountInto(terms.max_rows, 1'000'000)},
          {"max_bytes", SizeInto(terms.max_bytes, 8U << 20)},
          {"timeout", QuantityInto(terms.timeout, request::ParseDuration)},
          {"hold", [&](const toml::node& node) { return ReadHold(terms.hold, node); }},
          {"max_calls", CountInto(terms.max_calls, 1'000'000)},
          {"calls_per_minute", CountInto(terms.calls_per_minute, 60'000)},
          {"max_connections", CountInto(terms.max_connections, 1'000)}};
}

}  // namespace

Result<> ReadDatabases(const toml::node& node, Policy& policy) {
  const auto* table = node.as_table();
  if (table == nullptr || table->size() > kMostDatabases) {
    return Invalid("is a table of at most {} databases: [databases.NAME]", kMostDatabases);
  }
  for (const auto& [key, value] : *table) {
    const std::string name(key.str());
    if (!IsServerName(name)) {
      return Invalid("{}: a database's name has letters, digits, \"-\" and \"_\", a letter first",
                     Quote(name));
    }
    DatabaseTerms terms;
    BJ_TRY(Below("databases." + name, DatabaseKeys(terms))(value));
    BJ_TRY(CheckDatabase(terms).While(fmt::format("[databases.{}]", name)));
    policy.databases[name] = std::move(terms);
  }
  return {};
}

}  // namespace belljar::judgement::policy
