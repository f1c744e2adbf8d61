#include "run/guard.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cell/guest/protocol/guard_rules.h"

namespace belljar::run {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::Not;

const judgement::policy::Policy& Preset(std::string_view name) {
  return **judgement::policy::Preset(name);
}

judgement::policy::Judged Reviewed(std::string_view rule, std::string subject) {
  judgement::policy::Judged judged;
  judged.finding.rule = &judgement::analysis::RuleNamed(rule);
  judged.finding.subject = std::move(subject);
  judged.action = judgement::policy::Action::kReview;
  return judged;
}

TEST(Guard, RefusesWhatThePolicyBlocksOrReviews) {
  const auto standard = MakeGuard(Preset("standard"));
  EXPECT_EQ(standard->policy, "standard");
  EXPECT_EQ(standard->imports, "unforbidden");
  for (const char* const rule : {"py-import", "py-member", "py-eval", "py-process", "py-network",
                                 "py-native", "py-deserialise", "py-file-outside"}) {
    EXPECT_THAT(standard->refused, Contains(rule));
  }
  EXPECT_THAT(standard->refused, Not(Contains("py-introspection")));
  EXPECT_THAT(MakeGuard(Preset("strict"))->refused, Contains("py-introspection"));
}

TEST(Guard, HoldsRulesOfTheAnalysisInTheirClasses) {
  EXPECT_EQ(std::size(cell::guest::kGuardRules), 10U);
  for (const cell::guest::GuardRule& rule : cell::guest::kGuardRules) {
    const judgement::analysis::Rule* const known = judgement::analysis::FindRule(rule.id);
    ASSERT_NE(known, nullptr) << rule.id;
    EXPECT_EQ(known->language, judgement::analysis::Language::kPython) << rule.id;
    EXPECT_EQ(judgement::analysis::ClassName(known->rule_class), rule.rule_class) << rule.id;
  }
}

// In this order, which is that of the RUN frame.
TEST(Guard, NamesAllRulesWhereAllAreRefused) {
  judgement::policy::Policy terms = Preset("strict");
  for (const cell::guest::GuardRule& rule : cell::guest::kGuardRules) {
    terms.rules[rule.id] = judgement::policy::Action::kBlock;
  }
  EXPECT_THAT(MakeGuard(terms)->refused,
              testing::ElementsAre("py-import", "py-member", "py-eval", "py-code-object",
                                   "py-deserialise", "py-process", "py-network", "py-native",
                                   "py-introspection", "py-file-outside"));
}

TEST(Guard, LetsThroughWhatAPolicyOnlyNotes) {
  judgement::policy::Policy terms = Preset("standard");
  terms.rules["py-eval"] = judgement::policy::Action::kWarn;
  EXPECT_THAT(MakeGuard(terms)->refused, Not(Contains("py-eval")));
  EXPECT_THAT(MakeGuard(terms)->refused, Contains("py-code-object"));
}

TEST(Guard, LetsThroughWhatWasGrantedAndNothingElse) {
  const auto guard = MakeGuard(Preset("standard"));
  judgement::policy::Decision decision;
  decision.findings = {Reviewed("py-eval", "eval"), Reviewed("py-import", "socket"),
                       Reviewed("py-member", "os.fork")};
  const auto lifted = LiftWhatWasGranted(*guard, decision);
  EXPECT_THAT(lifted->refused, Not(Contains("py-eval")));
  EXPECT_THAT(lifted->refused, Contains("py-import"));
  EXPECT_THAT(lifted->refused, Contains("py-process"));
  EXPECT_TRUE(lifted->allowed.ends_with(" socket"));
  EXPECT_TRUE(lifted->members.ends_with(" os.fork"));
  EXPECT_THAT(guard->allowed, Not(HasSubstr("socket")));
}

// The policy forbids the network modules one by one.
TEST(Guard, LetsThroughWhatReachesHostsWhereThereAreSome) {
  const auto guard = MakeGuard(Preset("standard"));
  ASSERT_THAT(guard->forbidden, HasSubstr(" http.client "));
  const auto lifted = LiftNetwork(*guard);
  EXPECT_THAT(lifted->refused, Not(Contains("py-network")));
  for (const char* const module : {" http.client", " http.server", " urllib", " socket"}) {
    EXPECT_THAT(lifted->allowed, HasSubstr(module));
  }
  EXPECT_THAT(lifted->allowed, Not(HasSubstr("ftplib")));
  EXPECT_EQ(lifted->forbidden, guard->forbidden);
}

TEST(Guard, ANoteLiftsNothing) {
  const auto guard = MakeGuard(Preset("standard"));
  judgement::policy::Decision decision;
  decision.findings = {Reviewed("py-process", "os.fork")};
  decision.findings.front().action = judgement::policy::Action::kWarn;
  EXPECT_EQ(*LiftWhatWasGranted(*guard, decision), *guard);
}

}  // namespace
}  // namespace belljar::run
