#include "judgement/policy/policy_file_tools.h"

#include <fmt/format.h>

namespace belljar::judgement::policy {
namespace {

constexpr std::size_t kMostPatterns = 256;
constexpr std::size_t kMostRules = 64;

Result<std::vector<std::string>> PatternsOf(const toml::node& node) {
  auto patterns = BJ_TRY(TextsOf(node));
  if (patterns.size() > kMostPatterns) return Invalid("takes at most {} patterns", kMostPatterns);
  for (const std::string& pattern : patterns) {
    if (pattern.empty() || pattern.size() > 512) return Invalid("takes patterns of 1 to 512 bytes");
  }
  return patterns;
}

Result<std::map<std::string, std::string>> PairsOf(const toml::node& node) {
  const auto* table = node.as_table();
  if (table == nullptr) return Invalid("takes a table of texts");
  std::map<std::string, std::string> pairs;
  for (const auto& [key, value] : *table) {
    const std::string name(key.str());
    const bool plain =
        !name.empty() && name.size() <= 256 && name.find_first_of("=: \r\n") == std::string::npos;
    if (!plain) return Invalid("{} is no name of a variable or header", Quote(name));
    pairs[name] = BJ_TRY(TextOf(value).While(Quote(name)));
  }
  return pairs;
}

Result<std::vector<ArgumentRule>> RulesOf(const toml::node& node) {
  const auto* array = node.as_array();
  if (array == nullptr || array->size() > kMostRules) {
    return Invalid("takes tables, at most {}", kMostRules);
  }
  std::vector<ArgumentRule> rules;
  for (const toml::node& element : *array) {
    const auto* table = element.as_table();
    if (table == nullptr) return Invalid("takes tables");
    ArgumentRule rule;
    BJ_TRY(ReadTable(*table, "",
                     {{"tool", Into(rule.tool, TextOf)},
                      {"argument", Into(rule.argument, TextOf)},
                      {"in", Into(rule.in, PatternsOf)},
                      {"matches", Into(rule.matches, TextOf)}}));
    rules.push_back(std::move(rule));
  }
  return rules;
}

std::vector<KeyOf> ServerKeys(ToolServer& server) {
  return {{"command", Into(server.command, TextsOf)},
          {"url", Into(server.url, TextOf)},
          {"env", Into(server.env, PairsOf)},
          {"pass", Into(server.pass, TextsOf)},
          {"headers", Into(server.headers, PairsOf)},
          {"allow", Into(server.allow, PatternsOf)},
          {"ask", Into(server.ask, PatternsOf)},
          {"rules", Into(server.rules, RulesOf)},
          {"max_calls", CountInto(server.max_calls, 1'000'000)},
          {"calls_per_minute", CountInto(server.calls_per_minute, 60'000)},
          {"argument_bytes", SizeInto(server.argument_bytes, 4U << 20)},
          {"result_bytes", SizeInto(server.result_bytes, 8U << 20)},
          {"timeout", QuantityInto(server.timeout, request::ParseDuration)}};
}

}  // namespace

Result<> ReadTools(const toml::node& node, Policy& policy) {
  const auto* table = node.as_table();
  if (table == nullptr || table->size() > kMostToolServers) {
    return Invalid("is a table of at most {} servers: [tools.SERVER]", kMostToolServers);
  }
  for (const auto& [key, value] : *table) {
    const std::string name(key.str());
    if (!IsServerName(name)) {
      return Invalid("{}: a server's name has letters, digits, \"-\" and \"_\", a letter first",
                     Quote(name));
    }
    ToolServer server;
    BJ_TRY(Below("tools." + name, ServerKeys(server))(value));
    BJ_TRY(CheckToolServer(server).While(fmt::format("[tools.{}]", name)));
    policy.tools[name] = std::move(server);
  }
  return {};
}

void AllowToolsModule(Policy& policy) {
  if (!NeedsToolsListener(policy)) return;
  for (LanguageTerms* terms : {&policy.python, &policy.javascript}) {
    if (std::ranges::find(terms->allowed, "belljar") != terms->allowed.end()) continue;
    terms->allowed.emplace_back("belljar");
    terms->risks["belljar"] = {false, true, false, "calls what [tools] and [databases] list"};
  }
}

}  // namespace belljar::judgement::policy
