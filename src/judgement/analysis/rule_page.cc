#include "judgement/analysis/rule_page.h"

#include <fmt/format.h>

#include "judgement/analysis/rule.h"

namespace belljar::judgement::analysis {
namespace {

std::string Fenced(std::string_view code, Language language) {
  const std::string_view line_end = code.ends_with('\n') ? "" : "\n";
  return fmt::format("```{}\n{}{}```\n", LanguageName(language), code, line_end);
}

std::string SectionOf(const Rule& rule) {
  return fmt::format(
      "### {}: {}\n\nclass {}, severity {}. {} {}\n\nFound:\n\n{}\nNot found:\n\n{}\n", rule.id,
      rule.title, ClassName(rule.rule_class), SeverityName(rule.severity), rule.why, rule.advice,
      Fenced(rule.bad, rule.language), Fenced(rule.good, rule.language));
}

}  // namespace

std::string RulePage() {
  std::string page =
      "# Rules\n\n"
      "Made from the rules themselves by `belljar check --rules`; the examples are tests. What "
      "happens for a\nclass of rules, or for a single one, is for the policy to say "
      "([policy.md](policy.md)).\n\n";
  for (const auto& [title, rules] : {std::pair{"Python", PythonRules()},
                                     {"JavaScript and TypeScript", JavaScriptRules()},
                                     {"Shell", ShellRules()}}) {
    page += fmt::format("## {}\n\n", title);
    for (const Rule& rule : rules) page += SectionOf(rule);
  }
  return page;
}

}  // namespace belljar::judgement::analysis
