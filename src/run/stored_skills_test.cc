#include "run/stored_skills.h"

#include <gtest/gtest.h>

namespace belljar::run {
namespace {

TEST(StoredSkillsVerdict, CountsWhatTheCodeBroughtAboutItself) {
  EXPECT_EQ(VerdictOf(Outcome::kOk), resource::skill::Verdict::kSuccess);
  for (const Outcome outcome :
       {Outcome::kExit, Outcome::kException, Outcome::kSignal, Outcome::kTimeout, Outcome::kMemory,
        Outcome::kProcesses, Outcome::kOutput, Outcome::kDisk}) {
    EXPECT_EQ(VerdictOf(outcome), resource::skill::Verdict::kFailure) << OutcomeName(outcome);
  }
  EXPECT_EQ(VerdictOf(Outcome::kCancelled), resource::skill::Verdict::kNone);
  for (const Outcome outcome : {Outcome::kRefused, Outcome::kNeedsApproval, Outcome::kDenied}) {
    EXPECT_EQ(VerdictOf(outcome), std::nullopt) << OutcomeName(outcome);
  }
}

TEST(StoredSkillsFailure, IsToldInALine) {
  RunResult result;
  result.outcome = Outcome::kSignal;
  EXPECT_EQ(FailureLine(result), "signal");
  result.exit_code = 3;
  EXPECT_EQ(FailureLine(result), "ended with status 3");
  result.signal = 11;
  EXPECT_EQ(FailureLine(result), "ended by signal 11");
  result.reason = "out of time";
  EXPECT_EQ(FailureLine(result), "out of time");
  result.error.emplace();
  result.error->type = "ValueError";
  result.error->message = "no";
  EXPECT_EQ(FailureLine(result), "ValueError: no");
}

}  // namespace
}  // namespace belljar::run
