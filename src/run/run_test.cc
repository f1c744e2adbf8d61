#include "run/run.h"

#include <gtest/gtest.h>

#include "run/audit_entry.h"

namespace belljar::run {
namespace {

TEST(EngineRun, GivesTheRequestBackAsItWasAsked) {
  request::Request asked;
  asked.code = "print(1)";
  asked.image = "mine";
  asked.allow_hosts = {"example.com"};
  asked.vaults = {{"/srv/data", request::VaultMode::kReadWrite}};
  run::Run run(asked, {});
  run.as_asked = AskedFor::Of(run.request);
  run.request.backend = request::BackendKind::kDocker;
  run.request.image = "registry/mine";
  run.request.limits.wall = std::chrono::hours(1);
  run.request.allow_hosts.clear();
  run.request.vaults[0].mode = request::VaultMode::kReadOnly;
  EXPECT_EQ(AsAsked(run), asked);
}

TEST(EngineRun, AnswersWithWhatWasRecordedAndWhatHasBeenAddedSince) {
  run::Run run;
  RunResult result;
  run.told = ToJson(result, &run.memory);
  (*run.told)["stdout"] = "as recorded";
  result.audit = {{"index", 7}};
  result.session = {{"id", "s-1"}};
  const json::object answer = AnswerJson(run, result);
  EXPECT_EQ(answer.at("stdout"), "as recorded");
  EXPECT_EQ(answer.at("audit").at("index"), 7);
  EXPECT_EQ(answer.at("session").at("id"), "s-1");
  EXPECT_FALSE(answer.contains("recovery"));
}

TEST(EngineRun, WithoutARecordAnswersWithItsResult) {
  run::Run run;
  RunResult result;
  result.stdout_captured.bytes = "1\n";
  EXPECT_EQ(AnswerJson(run, result), ToJson(result));
}

TEST(EntryFrom, HasTheMarksOfItsOrigin) {
  Origin origin;
  origin.caller = "ci";
  origin.run_id = "r-1";
  origin.session_id = "s-1";
  origin.correlation_id = "c-1";
  origin.traceparent = "00-a-b-01";
  const record::Entry entry = EntryFrom(record::Event::kRecovered, origin, {{"action", "review"}});
  EXPECT_EQ(entry.event, record::Event::kRecovered);
  EXPECT_EQ(entry.caller, "ci");
  EXPECT_EQ(entry.run_id, "r-1");
  EXPECT_EQ(entry.session_id, "s-1");
  EXPECT_EQ(entry.correlation_id, "c-1");
  EXPECT_EQ(entry.traceparent, "00-a-b-01");
  EXPECT_EQ(entry.detail.at("action"), "review");
}

}  // namespace
}  // namespace belljar::run
