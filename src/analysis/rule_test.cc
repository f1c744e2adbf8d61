#include "analysis/rule.h"

#include <gtest/gtest.h>

#include <set>

#include "analysis/analyse.h"

namespace belljar::analysis {
namespace {

bool Has(const Rule& rule, std::string_view text) {
  for (const Finding& finding : Analyse(rule.language, text).findings) {
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
}  // namespace belljar::analysis
