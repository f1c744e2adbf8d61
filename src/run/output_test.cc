#include "run/output.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace belljar::run {
namespace {

using ::testing::HasSubstr;

const json::value kOfAge = {{"type", "object"}, {"properties", {{"age", {{"type", "integer"}}}}}};

RunResult Judged(const Captured& printed, const std::string& leaves) {
  RunResult result;
  result.exit_code = 0;
  result.stdout_captured.bytes = leaves;
  JudgeOutput(kOfAge, printed, result);
  return result;
}

RunResult Judged(const std::string& printed) { return Judged({printed, false}, printed); }

TEST(JudgeOutput, GivesTheValueThatFits) {
  const RunResult result = Judged(" {\"age\": 3}\n");
  EXPECT_EQ(result.outcome, Outcome::kOk);
  ASSERT_TRUE(result.output);
  EXPECT_EQ(json::serialize(*result.output), R"({"age":3})");
  EXPECT_EQ(json::serialize(ToJson(result).at("output")), R"({"age":3})");
}

TEST(JudgeOutput, NamesThePlaceThatDoesNotFit) {
  const RunResult result = Judged(R"({"age":"x"})");
  EXPECT_EQ(result.outcome, Outcome::kException);
  ASSERT_TRUE(result.error);
  EXPECT_EQ(result.error->type, "OutputMismatch");
  EXPECT_EQ(result.error->message, "output.age: must be an integer, not a string");
  EXPECT_EQ(result.reason, result.error->message);
  EXPECT_FALSE(result.output);
  EXPECT_EQ(ExitStatus(result), 1);
}

TEST(JudgeOutput, TakesNothingButOneWholeJsonText) {
  EXPECT_THAT(Judged("").reason, HasSubstr("which is empty"));
  EXPECT_THAT(Judged(" \n").reason, HasSubstr("which is empty"));
  EXPECT_THAT(Judged("{} {}").reason, HasSubstr("and nothing else"));
  EXPECT_THAT(Judged("done\n{}").reason, HasSubstr("and nothing else"));
  EXPECT_THAT(Judged("\"\xff\"").reason, HasSubstr("and nothing else"));
  EXPECT_THAT(Judged({"{}", true}, "{}").reason, HasSubstr("cut short"));
}

TEST(JudgeOutput, LooksAtWhatWasPrintedAndGivesWhatMayLeave) {
  const RunResult result = Judged({R"({"key":"secret"})", false}, R"({"key":"[gone]"})");
  ASSERT_TRUE(result.output);
  EXPECT_EQ(json::serialize(*result.output), R"({"key":"[gone]"})");
}

TEST(JudgeOutput, GivesNothingWhereCleaningLeftNoJson) {
  const RunResult result = Judged({R"({"age":4111})", false}, R"({"age":[gone]})");
  EXPECT_EQ(result.outcome, Outcome::kOk);
  EXPECT_FALSE(result.output);
  EXPECT_THAT(result.reason, HasSubstr("taken out"));
}

TEST(JudgeOutput, LeavesOtherEndingsAlone) {
  RunResult result;
  result.outcome = Outcome::kTimeout;
  JudgeOutput(kOfAge, {"", false}, result);
  EXPECT_EQ(result.outcome, Outcome::kTimeout);
  EXPECT_FALSE(result.error);
}

}  // namespace
}  // namespace belljar::run
