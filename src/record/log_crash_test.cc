// Slow tests: crashes at every step, writers killed with SIGKILL, files that fill up.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>

#include <thread>

#include "foundation/base/sys.h"
#include "record/files_fake.h"
#include "record/log.h"
#include "record/scratch.h"

namespace belljar::record {
namespace {

using testing::HasSubstr;

TEST(Log, HoldsMoreThanBothPendingFilesCan) {
  const Scratch scratch;
  const auto log = OpenQuiet(scratch.dir());
  Entry entry = SomeRun(0);
  entry.detail["text"] = std::string(40'000, 'x');
  constexpr int kCount = 300;  // 12 MB in all
  for (int i = 0; i < kCount; ++i) ASSERT_TRUE((*log)->Append(entry));
  ASSERT_TRUE((*log)->Seal());
  ExpectWhole(scratch.dir(), kCount);
}

TEST(LogCrash, AFullDiskStopsAppendsOnlyWhenTheReserveIsUsedUp) {
  const Scratch scratch;
  FaultyFiles files;
  const auto log = OpenQuiet(scratch.dir(), &files);
  files.FillDisk();
  Entry entry = SomeRun(0);
  entry.detail["text"] = std::string(40'000, 'x');
  Result<Position> last = Position{};
  std::uint64_t taken = 0;
  while (taken < 1000) {
    last = (*log)->Append(entry);
    if (!last) break;
    ++taken;
  }
  ASSERT_FALSE(last);
  EXPECT_EQ(last.error().kind(), Kind::kExhausted);
  EXPECT_THAT(last.error().message(), HasSubstr("No space left on device"));
  EXPECT_GT(taken, 100U);
  files.Mend();
  const auto again = (*log)->Append(entry);
  ASSERT_TRUE(again) << again.error().message();
  EXPECT_EQ(again->index, taken);
  ASSERT_TRUE((*log)->Seal());
  ExpectWhole(scratch.dir(), taken + 1);
}

// Appends until the simulated crash. Returns how many records were acknowledged.
std::uint64_t AppendUntilTheCrash(const std::string& dir, FaultyFiles& files) {
  auto log = OpenQuiet(dir, &files);
  if (!log) return 0;
  std::uint64_t acknowledged = 0;
  for (int i = 0; i < 12; ++i) {
    const auto body = (*log)->PutBody("body " + std::to_string(i));
    const auto at = (*log)->Append(SomeRun(i));
    if (!body || !at) break;
    acknowledged = at->index + 1;
    if (i % 4 == 3) {
      const auto proof = (*log)->Proof(at->index);  // forces a fold
      if (!proof) break;
    }
  }
  return acknowledged;
}

TEST(LogCrash, ACrashAtAnyStepLosesNothingThatWasAcknowledged) {
  int steps = 0;
  {
    const Scratch scratch;
    FaultyFiles files;
    ASSERT_EQ(AppendUntilTheCrash(scratch.dir(), files), 12U);
    steps = files.done();
  }
  ASSERT_GT(steps, 60);
  for (int step = 1; step <= steps; ++step) {
    const Scratch scratch;
    FaultyFiles files;
    files.CrashAfter(step);
    const std::uint64_t acknowledged = AppendUntilTheCrash(scratch.dir(), files);
    const auto log = OpenQuiet(scratch.dir());
    ASSERT_TRUE(log) << "after step " << step << ": " << log.error().message();
    ASSERT_GE((*log)->size(), acknowledged) << "after step " << step;
    ASSERT_LE((*log)->size(), acknowledged + 1) << "after step " << step;
    for (std::uint64_t i = 0; i < acknowledged; ++i) {
      const auto record = (*log)->At(i);
      ASSERT_TRUE(record && *record);
      EXPECT_EQ((*record)->run_id, "r" + std::to_string(i));
      const auto digest = (*log)->PutBody("body " + std::to_string(i));
      EXPECT_TRUE((*log)->Body(*digest).operator->()->has_value());
    }
    const auto last = (*log)->Append(SomeRun(99));
    ASSERT_TRUE(last);
    ASSERT_TRUE((*log)->Seal());
    ExpectWhole(scratch.dir(), last->index + 1);
  }
}

// Appends without end from four threads, and writes each acknowledged index to `out`.
[[noreturn]] void AppendForEver(const std::string& dir, const Fd& out) {
  Log::Options options{.dir = dir, .database = ""};
  options.fold_after = std::chrono::milliseconds(20);
  const auto log = Log::Open(options);
  if (!log) ::_exit(1);
  std::vector<std::jthread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&] {
      for (int i = 0;; ++i) {
        const auto at = (*log)->Append(SomeRun(i));
        if (!at) ::_exit(2);
        const std::uint64_t index = at->index;
        if (::write(out.get(), &index, sizeof(index)) != sizeof(index)) ::_exit(3);
      }
    });
  }
  threads.clear();
  ::_exit(0);
}

// Runs a writer for `lifetime`, kills it, and returns the largest acknowledged index plus one.
std::uint64_t KillAWriter(const std::string& dir, std::chrono::milliseconds lifetime) {
  auto pipe = MakePipe();
  const pid_t child = ::fork();
  if (child == 0) AppendForEver(dir, pipe->write);
  pipe->write.Close();
  std::this_thread::sleep_for(lifetime);
  ::kill(child, SIGKILL);
  ::waitpid(child, nullptr, 0);
  const auto told = ReadAll(pipe->read, 64 << 20, "pipe");
  std::uint64_t most = 0;
  for (std::size_t at = 0; at + 8 <= told->size(); at += 8) {
    std::uint64_t index = 0;
    std::memcpy(&index, told->data() + at, sizeof(index));
    most = std::max(most, index + 1);
  }
  return most;
}

TEST(LogCrash, AKilledWriterLosesNothingThatItAcknowledged) {
  const Scratch scratch;
  std::uint64_t most = 0;
  for (int round = 0; round < 12; ++round) {
    most = std::max(most, KillAWriter(scratch.dir(), std::chrono::milliseconds(60 + 7 * round)));
    const auto log = OpenQuiet(scratch.dir());
    ASSERT_TRUE(log) << log.error().message();
    ASSERT_GE((*log)->size(), most);
    ExpectWhole(scratch.dir(), (*log)->size());
  }
  EXPECT_GT(most, 100U);
}

}  // namespace
}  // namespace belljar::record
