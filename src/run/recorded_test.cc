#include "run/recorded.h"

#include <gtest/gtest.h>

#include "record/scratch.h"
#include "run/record.h"

namespace belljar::run {
namespace {

class RecordedRuns : public testing::Test {
 protected:
  void SetUp() override {
    record::Log::Options options;
    options.dir = scratch_.dir();
    auto log = record::Log::Open(options);
    ASSERT_TRUE(log) << log.error().message();
    log_ = *std::move(log);
    redactor_ = *judgement::redaction::Redactor::Create();
    request_.code = "print(1)";
    request_.args = {"x"};
    request_.env = {{"LANG", "C"}};
    request_.files = {{"data.bin", std::string("\0\xff", 2)}};
    request_.stdin_bytes = "in";
    request_.limits.wall = std::chrono::seconds(7);
    request_.vaults = {{"/srv/data", request::VaultMode::kReadWrite}};
  }

  // Records a run of the request and reads it again.
  Result<Recorded> Again(const judgement::policy::Policy& policy, const Wanted& wanted) {
    RunResult result;
    result.stdout_captured.bytes = "1\n";
    Origin origin;
    origin.caller = "me";
    origin.run_id = "r-1";
    origin.session_id = session_;
    const RunTerms terms{&policy, redactor_.get(), "build"};
    auto draft = BJ_TRY(DraftRecord(*log_, request_, terms));
    BJ_TRY(RecordRun(*log_, origin, request_, std::move(draft), result));
    return ReadRecorded(*log_, wanted, Assessment(Terms{}));
  }
  Result<Recorded> Again() {
    return Again(**judgement::policy::Preset("standard"), {"r-1", {}, {}});
  }

  record::Scratch scratch_;
  std::unique_ptr<record::Log> log_;
  std::shared_ptr<const judgement::redaction::Redactor> redactor_;
  request::Request request_;
  std::string session_;
};

TEST_F(RecordedRuns, ComeBackAsTheyWereAsked) {
  const auto recorded = Again();
  ASSERT_TRUE(recorded) << recorded.error().message();
  EXPECT_EQ(recorded->request, request_);
  EXPECT_EQ(recorded->policy->name, "standard");
  EXPECT_FALSE(recorded->former_policy);
  EXPECT_EQ(recorded->image, "build");
  EXPECT_EQ(recorded->result.at("stdout"), json::value("1\n"));
}

TEST_F(RecordedRuns, KeepACommandApartFromCode) {
  request_.code.clear();
  request_.args.clear();
  request_.command = {"ls", "-l"};
  const auto recorded = Again();
  ASSERT_TRUE(recorded) << recorded.error().message();
  EXPECT_EQ(recorded->request.command, request_.command);
}

TEST_F(RecordedRuns, KeepNoSecretsOfTheEnvironment) {
  request_.env["DB_PASSWORD"] = "hunter2";
  request_.env["INNOCENT"] = "ghp_0123456789abcdefghijABCDEFGHIJ012345";
  const auto refused = Again();
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().message().find("give the value of DB_PASSWORD, INNOCENT"),
            std::string::npos)
      << refused.error().message();
  const auto given = Again(**judgement::policy::Preset("standard"),
                           {"r-1", {}, {{"DB_PASSWORD", "hunter2"}, {"INNOCENT", "x"}}});
  ASSERT_TRUE(given) << given.error().message();
  EXPECT_EQ(given->request.env.at("DB_PASSWORD"), "hunter2");
}

TEST_F(RecordedRuns, TakeNoOtherValuesThanThoseThatWereNotKept) {
  const auto refused =
      Again(**judgement::policy::Preset("standard"), {"r-1", {}, {{"LANG", "de"}}});
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().message().find("LANG"), std::string::npos);
}

TEST_F(RecordedRuns, BelongToTheirCaller) {
  const auto refused = Again(**judgement::policy::Preset("standard"), {"r-1", "somebody", {}});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().kind(), Kind::kNotFound);
}

TEST_F(RecordedRuns, BringThePolicyThatIsNotTodays) {
  const auto own = judgement::policy::ParsePolicy("extends = \"strict\"\n", "own.toml");
  ASSERT_TRUE(own);
  const auto recorded = Again(*own, {"0", {}, {}});
  ASSERT_TRUE(recorded) << recorded.error().message();
  EXPECT_EQ(*recorded->policy, *own);
  EXPECT_TRUE(recorded->former_policy);
}

TEST_F(RecordedRuns, AreRefusedWhenTheirPolicyCannotBeHad) {
  auto changed = **judgement::policy::Preset("standard");
  changed.content = "of an earlier version";
  changed.text = "extends = \"strict\"\n";
  const auto refused = Again(changed, {"r-1", {}, {}});
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().message().find("the policy standard"), std::string::npos);
}

TEST_F(RecordedRuns, AreRefusedInSessions) {
  session_ = "s-1";
  const auto refused = Again();
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().message(),
            "run r-1 cannot be replayed: it ran in a session, and what the session held before is "
            "not recorded");
}

TEST_F(RecordedRuns, AreRefusedWithoutTheirBodies) {
  log_->SetBodyRetention(std::chrono::seconds(0));
  const auto refused = Again();
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().message().find("is not kept any more"), std::string::npos);
}

TEST(Drafts, AreMadeMeanwhileOnlyWhereTheyAreSmall) {
  request::Request request;
  request.code = "x = 1";
  request.env = {{"LANG", "C"}};
  EXPECT_TRUE(IsCheapToRecord(request));
  request.files = {{"data.bin", "1"}};
  EXPECT_FALSE(IsCheapToRecord(request));
  request.files.clear();
  request.env["DATA"] = std::string(64 << 10, 'x');
  EXPECT_FALSE(IsCheapToRecord(request));
}

}  // namespace
}  // namespace belljar::run
