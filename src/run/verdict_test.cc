#include "run/verdict.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <stdlib.h>

#include <filesystem>

#include "foundation/base/sys.h"

namespace belljar::run {
namespace {

using cell::limits::Cause;
using testing::ElementsAre;
using testing::HasSubstr;

// Observations of a run, and the verdict on them.
struct Evidence {
  request::Limits limits;
  Observed seen{limits};
  WorkspaceUse use;
  std::uint64_t largest_file_bytes = 0;

  Verdict Decided() const { return Decide(limits, seen, use, largest_file_bytes); }
  int Status() const {
    RunResult result;
    result.outcome = Decided().outcome;
    result.exit_code = seen.end.exit_code;
    result.signal = seen.end.signal;
    return ExitStatus(result);
  }
};

Evidence Exited(int code) {
  Evidence evidence;
  evidence.seen.end.exit_code = code;
  return evidence;
}

Evidence Signalled(int signal) {
  Evidence evidence;
  evidence.seen.end.signal = signal;
  return evidence;
}

Evidence Ended(Cause cause) {
  Evidence evidence = Signalled(SIGKILL);
  evidence.seen.end.cause = cause;
  return evidence;
}

TEST(Decide, FollowsTheWaitStatusWhenNoLimitWasMet) {
  EXPECT_EQ(Exited(0).Decided().outcome, Outcome::kOk);
  EXPECT_EQ(Exited(0).Status(), 0);
  EXPECT_EQ(Exited(3).Decided().outcome, Outcome::kExit);
  EXPECT_EQ(Exited(3).Status(), 3);
  EXPECT_EQ(Signalled(SIGSEGV).Decided().outcome, Outcome::kSignal);
  EXPECT_EQ(Signalled(SIGSEGV).Decided().reason, "it was ended by signal 11");
  EXPECT_EQ(Signalled(SIGSEGV).Status(), 139);
}

TEST(Decide, BelievesAnExceptionOnlyOfAProgramThatFailed) {
  Evidence failed = Exited(1);
  failed.seen.report.error = cell::guest::GuestError{"ValueError", "no", ""};
  EXPECT_EQ(failed.Decided().outcome, Outcome::kException);
  EXPECT_EQ(failed.Status(), 1);
  Evidence well = Exited(0);
  well.seen.report.error = failed.seen.report.error;
  EXPECT_EQ(well.Decided().outcome, Outcome::kOk);
  Evidence killed = Signalled(SIGABRT);
  killed.seen.report.error = failed.seen.report.error;
  EXPECT_EQ(killed.Decided().outcome, Outcome::kSignal);
}

TEST(Decide, NamesTheLimitThatTheWatchEnforced) {
  const struct {
    Cause cause;
    Outcome outcome;
    int status;
    const char* reason;
  } kCases[] = {
      {Cause::kWall, Outcome::kTimeout, 124, "it ran longer than 30 s of time"},
      {Cause::kCpu, Outcome::kTimeout, 124, "it ran longer than 61 s of CPU time"},
      {Cause::kMemory, Outcome::kMemory, 137, "it needed more than 512 MiB of memory"},
      {Cause::kProcesses, Outcome::kProcesses, 137, "it wanted more than 64 processes and threads"},
      {Cause::kOutput, Outcome::kOutput, 137, "it printed more than 1000 lines or 1048576 bytes"},
      {Cause::kCancelled, Outcome::kCancelled, 130, "the caller ended it"},
      {Cause::kStopped, Outcome::kCancelled, 130, "the service was stopped"},
      {Cause::kProtocol, Outcome::kSignal, 137, "its guest broke the protocol and was ended"},
  };
  for (const auto& one : kCases) {
    const Evidence evidence = Ended(one.cause);
    EXPECT_EQ(evidence.Decided().outcome, one.outcome) << one.reason;
    EXPECT_EQ(evidence.Decided().reason, one.reason);
    EXPECT_EQ(evidence.Status(), one.status) << one.reason;
  }
}

TEST(Decide, KeepsTheFirstCauseWhateverCameAfter) {
  Evidence evidence = Ended(Cause::kWall);
  evidence.seen.reading.oom_kills = 1;
  evidence.seen.reading.forks_denied = 1;
  evidence.use.full = true;
  evidence.seen.end.signal.reset();
  evidence.seen.end.exit_code = 0;
  EXPECT_EQ(evidence.Decided().outcome, Outcome::kTimeout);
  EXPECT_EQ(evidence.Status(), 124);
}

TEST(Decide, CountsWhatTheKernelKilledOrRefusedEvenIfTheProgramEndedWell) {
  for (const auto& make :
       {+[] { return Exited(0); }, +[] { return Exited(1); }, +[] { return Signalled(SIGKILL); }}) {
    Evidence evidence = make();
    evidence.seen.reading.oom_kills = 1;
    EXPECT_EQ(evidence.Decided().outcome, Outcome::kMemory);
    evidence.seen.reading.oom_kills = 0;
    evidence.seen.reading.forks_denied = 1;
    EXPECT_EQ(evidence.Decided().outcome, Outcome::kProcesses);
  }
}

TEST(Decide, TakesPeaksForTheReasonOnlyOfAFailure) {
  const auto with = [](Evidence evidence, auto change) {
    change(evidence);
    return evidence.Decided().outcome;
  };
  const auto memory = [](Evidence& e) {
    e.seen.reading.memory_peak_bytes = e.limits.memory_bytes + 1;
  };
  const auto processes = [](Evidence& e) { e.seen.reading.processes_peak = e.limits.processes; };
  const auto full = [](Evidence& e) { e.use.full = true; };
  const auto file = [](Evidence& e) { e.largest_file_bytes = e.limits.file_size_bytes; };
  const auto quota = [](Evidence& e) { e.seen.report.quota = "file_operations"; };
  EXPECT_EQ(with(Exited(1), memory), Outcome::kMemory);
  EXPECT_EQ(with(Exited(1), processes), Outcome::kProcesses);
  EXPECT_EQ(with(Exited(1), full), Outcome::kDisk);
  EXPECT_EQ(with(Exited(1), file), Outcome::kDisk);
  EXPECT_EQ(with(Exited(1), quota), Outcome::kDisk);
  EXPECT_EQ(with(Exited(0), memory), Outcome::kOk);
  EXPECT_EQ(with(Exited(0), processes), Outcome::kOk);
  EXPECT_EQ(with(Exited(0), full), Outcome::kOk);
  EXPECT_EQ(with(Exited(0), file), Outcome::kOk);
  EXPECT_EQ(with(Exited(0), quota), Outcome::kOk);
}

TEST(Decide, DoesNotBlameProcessesWhenTheKernelCountedNoRefusal) {
  Evidence evidence = Exited(1);
  evidence.seen.reading.processes_peak = evidence.limits.processes;
  evidence.seen.reading.counts_denials = true;
  EXPECT_EQ(evidence.Decided().outcome, Outcome::kExit);
}

TEST(Decide, BelievesWhatAProgramDiedOfOnlyWhereNothingCounts) {
  const auto died_of = [](cell::guest::GuestError error, std::uint64_t processes, bool sampled) {
    Evidence evidence = Exited(1);
    evidence.seen.report.error = std::move(error);
    evidence.seen.reading.processes_peak = processes;
    evidence.seen.reading.counts_denials = !sampled;
    evidence.seen.sampled = sampled;
    evidence.seen.end.used = Used{};
    return evidence.Decided().outcome;
  };
  const cell::guest::GuestError memory{"MemoryError", "", ""};
  const cell::guest::GuestError thread{"RuntimeError", "can't start new thread", ""};
  const cell::guest::GuestError fork{"BlockingIOError",
                                     "[Errno 11] Resource temporarily unavailable", ""};
  EXPECT_EQ(died_of(memory, 1, true), Outcome::kMemory);
  EXPECT_EQ(died_of(thread, 1, true), Outcome::kProcesses);
  EXPECT_EQ(died_of(fork, 32, true), Outcome::kProcesses);
  EXPECT_EQ(died_of(fork, 1, true), Outcome::kException);  // may come from a socket
  for (const auto& error : {memory, thread, fork}) {
    EXPECT_EQ(died_of(error, 32, false), Outcome::kException) << error.type;
  }
  Evidence killed = Signalled(SIGKILL);
  killed.seen.report.error = memory;
  killed.seen.sampled = true;
  EXPECT_EQ(killed.Decided().outcome, Outcome::kSignal);
}

TEST(Decide, BlamesMemoryForAThreadWhereItHasNoRoomForAllTheirStacks) {
  Evidence evidence = Exited(1);
  evidence.seen.report.error =
      cell::guest::GuestError{"RuntimeError", "can't start new thread", ""};
  evidence.seen.reading.counts_denials = false;
  evidence.seen.sampled = true;
  evidence.seen.end.used = Used{};
  evidence.limits.processes = 64;
  evidence.limits.memory_bytes = 64 * request::kMiB;
  evidence.seen.reading.processes_peak = 15;
  EXPECT_EQ(evidence.Decided().outcome, Outcome::kMemory);
  evidence.seen.reading.processes_peak = 32;
  EXPECT_EQ(evidence.Decided().outcome, Outcome::kProcesses);
  evidence.seen.reading.processes_peak = 15;
  evidence.limits.memory_bytes = 256 * request::kMiB;
  EXPECT_EQ(evidence.Decided().outcome, Outcome::kProcesses);
}

TEST(Decide, DoesNotBlameALimitThatWasOnlyApproached) {
  Evidence evidence = Exited(1);
  evidence.seen.reading.memory_peak_bytes = evidence.limits.memory_bytes;
  evidence.seen.reading.processes_peak = evidence.limits.processes - 1;
  evidence.largest_file_bytes = evidence.limits.file_size_bytes - 1;
  EXPECT_EQ(evidence.Decided().outcome, Outcome::kExit);
}

TEST(Decide, KnowsTheSignalOfAFileThatGrewTooLarge) {
  const Verdict verdict = Signalled(SIGXFSZ).Decided();
  EXPECT_EQ(verdict.outcome, Outcome::kDisk);
  EXPECT_EQ(verdict.reason, "it wrote a file larger than 256 MiB");
  EXPECT_EQ(Signalled(SIGXFSZ).Status(), 137);
}

TEST(Decide, CallsOutputThatHadToBeDroppedALimitEvenAtAGoodEnd) {
  Evidence evidence = Exited(0);
  evidence.seen.capture.Add(Stream::kStdout, std::string(evidence.limits.output_bytes + 1, 'x'));
  EXPECT_EQ(evidence.Decided().outcome, Outcome::kOutput);
}

class JudgeTest : public testing::Test {
 protected:
  JudgeTest() {
    std::string pattern = testing::TempDir() + "judgeXXXXXX";
    path_ = ::mkdtemp(pattern.data());
    workspace_ = *Open(path_, O_PATH | O_DIRECTORY);
  }
  ~JudgeTest() override { std::filesystem::remove_all(path_); }
  void Write(const std::string& name, std::string_view text) {
    const Fd file = *Open(path_ + "/" + name, O_WRONLY | O_CREAT | O_TRUNC, 0644);
    EXPECT_TRUE(WriteAll(file, text, name));
  }

  std::string path_;
  Fd workspace_;
};

TEST_F(JudgeTest, BringsBackFilesAndSaysWhyOneDoesNotCome) {
  const Listing before = run::List(workspace_);
  Write("made.txt", "content");
  request::Request request;
  request.id = "r";
  request.fetch = {"made.txt", "missing.txt"};
  Evidence evidence = Exited(0);
  const auto judged = Judge(request, evidence.seen, before, workspace_);
  ASSERT_TRUE(judged) << judged.error().message();
  EXPECT_EQ(judged->id, "r");
  EXPECT_THAT(judged->files.created, ElementsAre("made.txt"));
  EXPECT_EQ(judged->files.fetched.at("made.txt"), "content");
  EXPECT_TRUE(judged->files.fetch_refused.contains("missing.txt"));
}

TEST_F(JudgeTest, GivesTheSupervisorsNumbersAndOnlyThose) {
  Evidence evidence = Exited(2);
  evidence.seen.end.wall = std::chrono::microseconds(1500);
  evidence.seen.reading.cpu_us = 2500;
  evidence.seen.reading.processes_peak = 3;
  const auto judged = Judge({}, evidence.seen, {}, workspace_);
  ASSERT_TRUE(judged) << judged.error().message();
  EXPECT_EQ(judged->exit_code, 2);
  EXPECT_EQ(judged->usage.wall_ms, 1.5);
  EXPECT_EQ(judged->usage.cpu_ms, 2.5);
  EXPECT_EQ(judged->usage.processes_peak, 3u);
  EXPECT_EQ(judged->usage.memory_peak_bytes, std::nullopt);
}

TEST_F(JudgeTest, CountsAsWrittenOnlyWhatTheWorkspaceGrewBy) {
  Evidence evidence = Exited(0);
  evidence.seen.used_before = UINT64_MAX;  // on a shared disk: more than is possible
  const auto judged = Judge({}, evidence.seen, {}, workspace_);
  ASSERT_TRUE(judged) << judged.error().message();
  EXPECT_EQ(judged->usage.bytes_written, 0U);
}

TEST_F(JudgeTest, LeavesOutTheErrorOfAProgramThatEndedWell) {
  Evidence evidence = Exited(0);
  evidence.seen.report.error = cell::guest::GuestError{"ValueError", "no", ""};
  EXPECT_EQ(Judge({}, evidence.seen, {}, workspace_)->error, std::nullopt);
}

TEST(RefusedResult, RanNothing) {
  request::Request request;
  request.id = "r";
  const RunResult refused = RefusedResult(request, "not here", {{"backend", "fake"}});
  EXPECT_EQ(refused.outcome, Outcome::kRefused);
  EXPECT_EQ(refused.id, "r");
  EXPECT_EQ(refused.exit_code, std::nullopt);
  EXPECT_THAT(refused.reason, HasSubstr("not here"));
  EXPECT_EQ(
      refused.decision,
      (json::object{{"action", "block"}, {"level", "L3"}, {"reasons", json::array{"not here"}}}));
  EXPECT_EQ(ExitStatus(refused), 126);
}

}  // namespace
}  // namespace belljar::run
