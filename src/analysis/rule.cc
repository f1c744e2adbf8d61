#include "analysis/rule.h"

#include <cstdlib>
#include <map>

namespace belljar::analysis {
namespace {

using RulesById = std::map<std::string_view, const Rule*>;

const RulesById& ById() {
  static const RulesById rules = [] {
    RulesById by_id;
    for (const auto table : {PythonRules(), JavaScriptRules(), ShellRules()}) {
      for (const Rule& rule : table) by_id.emplace(rule.id, &rule);
    }
    return by_id;
  }();
  return rules;
}

}  // namespace

const Rule* FindRule(std::string_view id) {
  const auto found = ById().find(id);
  return found == ById().end() ? nullptr : found->second;
}

const Rule& RuleNamed(std::string_view id) {
  const Rule* rule = FindRule(id);
  if (rule == nullptr) std::abort();
  return *rule;
}

std::string_view ClassName(Class rule_class) {
  static constexpr std::string_view kNames[] = {
      "import",      "member",        "dynamic-code", "deserialisation", "process", "network",
      "native",      "introspection", "tampering",    "obfuscation",     "files",   "bomb",
      "shell-block", "shell-ask",     "missing",      "syntax",          "unclear"};
  return kNames[static_cast<std::size_t>(rule_class)];
}

}  // namespace belljar::analysis
