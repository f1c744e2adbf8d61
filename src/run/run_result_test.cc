#include "run/run_result.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace belljar::run {
namespace {

using testing::ElementsAre;
using testing::UnorderedElementsAre;

std::vector<std::string> KeysOf(const json::value& value) {
  std::vector<std::string> keys;
  for (const auto& member : value.as_object()) keys.emplace_back(member.key());
  return keys;
}

TEST(ToJson, HasExactlyTheKeysOfTheContract) {
  const json::object object = ToJson(RunResult{});
  EXPECT_THAT(KeysOf(object),
              ElementsAre("id", "correlation_id", "outcome", "exit_code", "signal", "stdout",
                          "stderr", "truncated", "replaced", "error", "results", "usage", "files",
                          "findings", "decision", "redactions", "layers"));
  EXPECT_THAT(KeysOf(object.at("truncated")), ElementsAre("stdout", "stderr"));
  EXPECT_THAT(KeysOf(object.at("replaced")), ElementsAre("stdout", "stderr"));
  EXPECT_THAT(
      KeysOf(object.at("usage")),
      ElementsAre("wall_ms", "cpu_ms", "memory_peak_bytes", "processes_peak", "processes_left",
                  "file_operations", "bytes_written", "network_requests"));
  EXPECT_THAT(KeysOf(object.at("files")), ElementsAre("created", "changed", "deleted"));
}

TEST(ToJson, SaysNullForWhatIsNotKnown) {
  const json::object object = ToJson(RunResult{});
  for (const char* key : {"exit_code", "signal", "error"}) {
    EXPECT_TRUE(object.at(key).is_null()) << key;
  }
  for (const char* key : {"cpu_ms", "memory_peak_bytes", "processes_peak", "processes_left",
                          "file_operations", "bytes_written"}) {
    EXPECT_TRUE(object.at("usage").at(key).is_null()) << key;
  }
  EXPECT_EQ(object.at("usage").at("network_requests"), 0);
}

TEST(ToJson, TellsWhatWasSeen) {
  RunResult result;
  result.id = "r1";
  result.correlation_id = "c1";
  result.outcome = Outcome::kException;
  result.exit_code = 1;
  result.stdout_captured = {"out\n", true};
  result.stderr_captured = {"err\n", false};
  result.error = cell::guest::GuestError{"ValueError", "no", "Traceback"};
  result.usage.wall_ms = 1.5;
  result.usage.memory_peak_bytes = 1ULL << 40;
  const json::object object = ToJson(result);
  EXPECT_EQ(object.at("id"), "r1");
  EXPECT_EQ(object.at("correlation_id"), "c1");
  EXPECT_EQ(object.at("outcome"), "exception");
  EXPECT_EQ(object.at("exit_code"), 1);
  EXPECT_EQ(object.at("stdout"), "out\n");
  EXPECT_EQ(object.at("truncated").at("stdout"), true);
  EXPECT_EQ(object.at("truncated").at("stderr"), false);
  EXPECT_EQ(object.at("replaced").at("stdout"), 0);
  EXPECT_THAT(KeysOf(object.at("error")), ElementsAre("type", "message", "traceback"));
  EXPECT_EQ(object.at("error").at("type"), "ValueError");
  EXPECT_EQ(object.at("usage").at("wall_ms"), 1.5);
  EXPECT_EQ(object.at("usage").at("memory_peak_bytes"), 1ULL << 40);
}

TEST(ToJson, TellsHowMuchOfTheOutputWasNotText) {
  RunResult result;
  result.stdout_captured.bytes =
      "a\xff\xfe"
      "b";
  result.stderr_captured.bytes = "caf\xc3";
  const json::object object = ToJson(result);
  EXPECT_EQ(object.at("stdout"), "a\uFFFD\uFFFDb");
  EXPECT_EQ(object.at("replaced").at("stdout"), 2);
  EXPECT_EQ(object.at("stderr"), "caf\uFFFD");
  EXPECT_EQ(object.at("replaced").at("stderr"), 1);
  EXPECT_TRUE(ParseJson(json::serialize(object))) << "it must be a document that others can read";
}

TEST(ToJson, GivesTheReasonOnlyWhereThereIsOne) {
  RunResult result;
  result.outcome = Outcome::kTimeout;
  result.reason = "it ran longer than 1 s of time";
  EXPECT_EQ(ToJson(result).at("reason"), "it ran longer than 1 s of time");
}

TEST(ToJson, EncodesFetchedFilesAndSaysWhichWereRefused) {
  RunResult result;
  result.files.created = {"a", "b"};
  result.files.fetched["a"] = std::string("\0\xff", 2);
  result.files.fetch_refused["b"] = "too large";
  result.files.incomplete = true;
  const json::value files = ToJson(result).at("files");
  EXPECT_THAT(KeysOf(files), UnorderedElementsAre("created", "changed", "deleted", "incomplete",
                                                  "fetched", "fetch_refused"));
  EXPECT_EQ(files.at("fetched").at("a"), "AP8=");
  EXPECT_EQ(files.at("fetch_refused").at("b"), "too large");
}

TEST(ExitStatus, IsTheProgramsOwnWhereItEndedByItself) {
  RunResult result;
  for (const Outcome outcome : {Outcome::kOk, Outcome::kExit, Outcome::kException}) {
    for (const int code : {0, 1, 42, 255}) {
      result.outcome = outcome;
      result.exit_code = code;
      // An OutputMismatch with exit code 0 must not give status 0.
      const bool mismatch = outcome == Outcome::kException && code == 0;
      EXPECT_EQ(ExitStatus(result), mismatch ? 1 : code);
    }
  }
  result.outcome = Outcome::kSignal;
  result.exit_code.reset();
  result.signal = 11;
  EXPECT_EQ(ExitStatus(result), 139);
}

TEST(ExitStatus, IsNoSuccessOfASignalThatCameTooLate) {
  RunResult result;
  result.outcome = Outcome::kSignal;  // protocol violation by a guest that had already exited
  result.exit_code = 0;
  EXPECT_EQ(ExitStatus(result), 137);
}

TEST(ExitStatus, TellsWhatEndedARunThatDidNot) {
  const std::pair<Outcome, int> kStatuses[] = {{Outcome::kTimeout, 124},   {Outcome::kRefused, 126},
                                               {Outcome::kCancelled, 130}, {Outcome::kMemory, 137},
                                               {Outcome::kProcesses, 137}, {Outcome::kOutput, 137},
                                               {Outcome::kDisk, 137}};
  for (const auto& [outcome, status] : kStatuses) {
    RunResult result;
    result.outcome = outcome;
    result.exit_code = 0;  // a cancelled program may still exit with 0
    EXPECT_EQ(ExitStatus(result), status) << OutcomeName(outcome);
  }
}

TEST(RunResult, TellsWhatHasBecomeOfVaults) {
  RunResult result;
  EXPECT_FALSE(ToJson(result).contains("vaults"));
  result.vaults = {{"/srv/in", request::VaultMode::kReadOnly, VaultOutcome::kUnchanged, ""},
                   {"/srv/out", request::VaultMode::kReadWrite, VaultOutcome::kCommitted, ""}};
  EXPECT_EQ(json::serialize(ToJson(result).at("vaults")),
            R"([{"host":"/srv/in","mode":"ro","outcome":"unchanged","message":""},)"
            R"({"host":"/srv/out","mode":"rw","outcome":"committed","message":""}])");
}

TEST(RunResult, ARefusedCommitIsBelljarsOwnFailure) {
  RunResult result;
  result.exit_code = 0;
  result.vaults = {{"/srv/out", request::VaultMode::kReadWrite, VaultOutcome::kCommitted, ""}};
  EXPECT_EQ(ExitStatus(result), 0);
  result.vaults[0].outcome = VaultOutcome::kDropped;
  EXPECT_EQ(ExitStatus(result), 0);
  result.vaults[0].outcome = VaultOutcome::kRefused;
  EXPECT_EQ(ExitStatus(result), 125);
}

}  // namespace
}  // namespace belljar::run
