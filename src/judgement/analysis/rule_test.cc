#include "judgement/analysis/rule.h"

#include <gtest/gtest.h>

#include <set>

#include "judgement/analysis/analyse.h"
#include "judgement/analysis/missing.h"

namespace belljar::judgement::analysis {
namespace {

// The findings for `text`, assuming an image that has every module that the examples import, except
// those that stand for missing ones.
std::vector<Finding> FindingsOf(Language language, std::string_view text) {
  const Analysis analysis = Analyse(language, text);
  std::vector<Finding> findings =
      MissingModules(analysis, language,
                     {[](const std::string& top) { return !top.starts_with("no"); },
                      [](const std::string& top) { return top + " is not there"; }});
  findings.insert(findings.end(), analysis.findings.begin(), analysis.findings.end());
  return findings;
}

bool Has(const Rule& rule, std::string_view text) {
  for (const Finding& finding : FindingsOf(rule.language, text)) {
    if (finding.rule == &rule) return true;
  }
  return false;
}

TEST(Rules, FindTheirBadExampleAndLeaveTheGoodOneAlone) {
  for (const auto table : {PythonRules(), JavaScriptRules(), ShellRules()}) {
    for (const Rule& rule : table) {
      EXPECT_TRUE(Has(rule, rule.bad)) << rule.id;
      EXPECT_FALSE(Has(rule, rule.good)) << rule.id;
    }
  }
}

TEST(Rules, AreNamedForWhoeverMisspellsOne) {
  EXPECT_TRUE(LooksLikeRule("py-evil"));
  EXPECT_EQ(NearestRule("py-evil"), "py-eval");
  EXPECT_EQ(NearestRule("sh-rmroot"), "sh-rm-root");
  EXPECT_TRUE(LooksLikeRule("js-evil"));
  EXPECT_FALSE(LooksLikeRule("js-yaml"));
  EXPECT_FALSE(LooksLikeRule("numpy"));
  EXPECT_EQ(NearestRule("sh-nothing-of-the-kind-at-all-in-any-table-of-rules-that-there-is-here"),
            "");
}

TEST(Rules, HaveIdsOfTheirOwnAndWordsForEverything) {
  std::set<std::string_view> ids;
  for (const auto table : {PythonRules(), JavaScriptRules(), ShellRules()}) {
    for (const Rule& rule : table) {
      EXPECT_TRUE(ids.insert(rule.id).second) << rule.id;
      EXPECT_EQ(FindRule(rule.id), &rule);
      EXPECT_FALSE(rule.title.empty() || rule.why.empty() || rule.advice.empty()) << rule.id;
    }
  }
  EXPECT_EQ(FindRule("no-such-rule"), nullptr);
}

}  // namespace
}  // namespace belljar::judgement::analysis
