#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "judgement/policy/policy.h"
#include "run/run_result.h"

namespace belljar::run {
namespace {

RunResult FullResult() {
  RunResult result;
  result.id = 7;
  result.correlation_id = "c";
  result.outcome = Outcome::kException;
  result.exit_code = 1;
  result.signal = 9;
  result.reason = "because";
  result.stdout_captured = {"out\n", true};
  result.stderr_captured = {"é", false};
  result.error = cell::guest::GuestError{"ValueError", "no", "trace"};
  result.results = {json::object{{"text/plain", "42"}}};
  result.usage = {1.25, 2.5, 3U, 4U, 5U, 6U, 7U, 8U, 9U};
  result.files.created = {"a"};
  result.files.changed = {"b", "c"};
  result.files.deleted = {"d"};
  result.files.fetched = {{"a", std::string("\0\xff", 2)}};
  result.files.fetch_refused = {{"b", "a link"}};
  result.files.unexpected = {"d"};
  result.files.incomplete = true;
  result.output = json::value{{"n", 1}};
  result.layers = {{"seccomp", "on"}};
  result.recovery = {json::object{{"action", "review"}}};
  result.audit = {{"index", 3}};
  result.session = {{"id", "s-1"}};
  return result;
}

TEST(ReadResult, GivesBackWhatToJsonWrote) {
  for (const RunResult& result : {RunResult(), FullResult()}) {
    const json::object object = ToJson(result);
    const auto read = ReadResult(object);
    ASSERT_TRUE(read) << read.error().message();
    EXPECT_EQ(ToJson(*read), object);
    EXPECT_EQ(ExitStatus(*read), ExitStatus(result));
  }
}

TEST(ReadResult, GivesBackWhichSkillItWas) {
  RunResult result;
  EXPECT_FALSE(ToJson(result).contains("skill"));
  result.skill = {{"name", "count"}, {"version", 2}};
  EXPECT_EQ(ReadResult(ToJson(result))->skill, result.skill);
}

TEST(ReadResult, KnowsEveryOutcome) {
  for (int i = 0; i <= static_cast<int>(Outcome::kCancelled); ++i) {
    const auto outcome = static_cast<Outcome>(i);
    EXPECT_EQ(OutcomeNamed(OutcomeName(outcome)), outcome);
  }
  EXPECT_EQ(OutcomeNamed("perished"), std::nullopt);
  // Every outcome that a policy can recover from has a name.
  for (const std::string_view name : judgement::policy::kRecoverable)
    EXPECT_TRUE(OutcomeNamed(name)) << name;
}

TEST(ReadResult, NamesTheMemberThatIsMissingOrWrong) {
  const json::object good = ToJson(FullResult());
  for (const char* key :
       {"outcome", "stdout", "truncated", "usage", "files", "layers", "results"}) {
    json::object bad = good;
    bad.erase(key);
    ASSERT_FALSE(ReadResult(bad)) << key;
    bad[key] = 12;
    const auto read = ReadResult(bad);
    ASSERT_FALSE(read) << key;
    EXPECT_THAT(read.error().message(), testing::HasSubstr(key));
  }
  json::object bad = good;
  bad["exit_code"] = 1e300;
  EXPECT_FALSE(ReadResult(bad));
  bad["exit_code"] = "1";
  EXPECT_FALSE(ReadResult(bad));
}

}  // namespace
}  // namespace belljar::run
