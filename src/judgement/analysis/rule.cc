#include "judgement/analysis/rule.h"

#include <cstdlib>
#include <map>
#include <vector>

#include "foundation/base/nearest.h"
#include "judgement/analysis/name_memory.h"

namespace belljar::judgement::analysis {
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

const Rule* LookUp(std::string_view id) {
  const auto found = ById().find(id);
  return found == ById().end() ? nullptr : found->second;
}

}  // namespace

const Rule* FindRule(std::string_view id) {
  thread_local NameMemory<const Rule*> remembered;
  return remembered.Get(id, LookUp);
}

const Rule& RuleNamed(std::string_view id) {
  const Rule* rule = FindRule(id);
  if (rule == nullptr) std::abort();
  return *rule;
}

bool LooksLikeRule(std::string_view word) {
  constexpr std::size_t kSlip = 2;
  if (word.starts_with("py-") || word.starts_with("sh-")) return true;
  // Only near misses count for "js-": names such as "js-yaml" are packages.
  return word.starts_with("js-") && EditDistance(word.substr(0, 64), NearestRule(word)) <= kSlip;
}

std::string_view NearestRule(std::string_view id) {
  std::vector<std::string_view> ids;
  for (const auto& [name, rule] : ById()) ids.push_back(name);
  return NearestName(id, ids);
}

std::string_view ClassName(Class rule_class) {
  static constexpr std::string_view kNames[] = {
      "import",      "member",        "dynamic-code", "deserialisation", "process", "network",
      "native",      "introspection", "tampering",    "obfuscation",     "files",   "bomb",
      "shell-block", "shell-ask",     "missing",      "syntax",          "unclear"};
  return kNames[static_cast<std::size_t>(rule_class)];
}

}  // namespace belljar::judgement::analysis
