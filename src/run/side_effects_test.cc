#include "run/side_effects.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace belljar::run {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

RunResult Changed() {
  RunResult result;
  result.files.created = {"out/a.csv", "x.tmp"};
  result.files.changed = {"/vault/data/b", "in.txt"};
  result.files.deleted = {"old/deep/c"};
  return result;
}

TEST(SideEffects, AreListedWhereNoPatternNamesThem) {
  RunResult result = Changed();
  NoteUnexpected({"out/*.csv", "/vault/data/**"}, result);
  ASSERT_TRUE(result.files.unexpected);
  EXPECT_THAT(*result.files.unexpected, ElementsAre("in.txt", "old/deep/c", "x.tmp"));
  ASSERT_EQ(result.findings.size(), 1U);
  const json::object& finding = result.findings[0].as_object();
  EXPECT_EQ(finding.at("rule"), kUnexpectedFile);
  EXPECT_EQ(finding.at("action"), "warn");
  EXPECT_EQ(finding.at("message"), "it changed 3 files that \"writes\" does not name");
}

TEST(SideEffects, AreNoFindingWhereAllAreExpected) {
  RunResult result = Changed();
  NoteUnexpected({"**", "/vault/**"}, result);
  EXPECT_THAT(*result.files.unexpected, IsEmpty());
  EXPECT_TRUE(result.findings.empty());
  EXPECT_TRUE(ToJson(result).at("files").at("unexpected").as_array().empty());
}

TEST(SideEffects, WithoutPatternsEverythingIsUnexpected) {
  RunResult result = Changed();
  NoteUnexpected({}, result);
  EXPECT_EQ(result.files.unexpected->size(), 5U);
}

TEST(SideEffects, WhatIsNotListedIsNotVouchedFor) {
  RunResult result;
  result.files.incomplete = true;
  NoteUnexpected({"**"}, result);
  EXPECT_EQ(result.findings.size(), 1U);
}

TEST(SideEffects, AreNotSpokenOfUnlessAsked) {
  EXPECT_FALSE(ToJson(Changed()).at("files").as_object().contains("unexpected"));
}

}  // namespace
}  // namespace belljar::run
