#include "engine/stored_skills.h"

#include <gtest/gtest.h>

namespace belljar::engine {
namespace {

using result::Outcome;

TEST(StoredSkillsVerdict, CountsWhatTheCodeBroughtAboutItself) {
  EXPECT_EQ(VerdictOf(Outcome::kOk), skills::Verdict::kSuccess);
  for (const Outcome outcome :
       {Outcome::kExit, Outcome::kException, Outcome::kSignal, Outcome::kTimeout, Outcome::kMemory,
        Outcome::kProcesses, Outcome::kOutput, Outcome::kDisk}) {
    EXPECT_EQ(VerdictOf(outcome), skills::Verdict::kFailure) << result::OutcomeName(outcome);
  }
  EXPECT_EQ(VerdictOf(Outcome::kCancelled), skills::Verdict::kNone);
  for (const Outcome outcome : {Outcome::kRefused, Outcome::kNeedsApproval, Outcome::kDenied}) {
    EXPECT_EQ(VerdictOf(outcome), std::nullopt) << result::OutcomeName(outcome);
  }
}

TEST(StoredSkillsFailure, IsToldInALine) {
  result::RunResult result;
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
}  // namespace belljar::engine
