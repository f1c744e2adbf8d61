// Disks that are full, read-only or gone in the middle of a write.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <thread>

#include "audit/files_fake.h"
#include "audit/log.h"
#include "audit/scratch.h"
#include "audit/verify.h"
#include "base/sys.h"

namespace belljar::audit {
namespace {

using testing::HasSubstr;

void ExpectWhole(const std::string& dir) {
  const auto report = Verify(dir, "");
  ASSERT_TRUE(report);
  EXPECT_FALSE(report->first_bad) << report->first_bad->what;
}

TEST(LogFault, AReadOnlyDiskFailsAppendsAndIsForgottenWhenItEnds) {
  const Scratch scratch;
  FaultyFiles files;
  const auto log = OpenQuiet(scratch.dir(), &files);
  ASSERT_TRUE(log) << log.error().message();
  ASSERT_TRUE((*log)->Append(Run(0)));
  files.MakeReadOnly();
  const auto failed = (*log)->Append(Run(1));
  ASSERT_FALSE(failed);
  EXPECT_THAT(failed.error().message(), HasSubstr("Read-only file system"));
  EXPECT_EQ((*log)->size(), 1U);
  files.Mend();
  const auto again = (*log)->Append(Run(2));
  ASSERT_TRUE(again) << again.error().message();
  EXPECT_EQ(again->index, 1U);
  ASSERT_TRUE((*log)->Seal());
  ExpectWhole(scratch.dir());
}

TEST(LogFault, AFailedSyncAcknowledgesNothing) {
  const Scratch scratch;
  FaultyFiles files;
  const auto log = OpenQuiet(scratch.dir(), &files);
  files.Fail("sync", EIO);
  Entry longer = Run(0);
  longer.detail["text"] = std::string(5'000, 'x');
  EXPECT_FALSE((*log)->Append(longer));
  files.Mend();
  EXPECT_EQ((*log)->Append(Run(1))->index, 0U);
  ASSERT_TRUE((*log)->Seal());
  ExpectWhole(scratch.dir());
}

TEST(LogFault, AFullDiskStopsAppendsOnlyWhenTheReserveIsUsedUp) {
  const Scratch scratch;
  FaultyFiles files;
  const auto log = OpenQuiet(scratch.dir(), &files);
  files.FillDisk();
  Entry entry = Run(0);
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
  ExpectWhole(scratch.dir());
}

TEST(LogFault, ALargeBodyOnAFullDiskIsToldAtOnce) {
  const Scratch scratch;
  FaultyFiles files;
  const auto log = OpenQuiet(scratch.dir(), &files);
  files.FillDisk();
  EXPECT_FALSE((*log)->PutBody(std::string(100'000, 'x')));
  EXPECT_TRUE((*log)->PutBody("small ones wait where there is room"));
}

TEST(LogFault, ADatabaseThatIsLockedHoldsUpNoRecord) {
  const Scratch scratch;
  const auto log = OpenQuiet(scratch.dir());
  const auto database = storage::Database::Open("sqlite:" + scratch.path("belljar.db"));
  ASSERT_TRUE((*database)->Transaction([&]() -> Result<> {
    BJ_TRY((*database)->Execute("DELETE FROM audit_records WHERE idx < 0", {}));
    for (int i = 0; i < 5; ++i) BJ_TRY((*log)->Append(Run(i)));
    return {};
  }));
  EXPECT_EQ((*log)->Find({})->size(), 5U);
}

// Appends until the files stop working; the number of records that were acknowledged.
std::uint64_t AppendUntilTheCrash(const std::string& dir, FaultyFiles& files) {
  auto log = OpenQuiet(dir, &files);
  if (!log) return 0;
  std::uint64_t acknowledged = 0;
  for (int i = 0; i < 12; ++i) {
    const auto body = (*log)->PutBody("body " + std::to_string(i));
    const auto at = (*log)->Append(Run(i));
    if (!body || !at) break;
    acknowledged = at->index + 1;
    if (i % 4 == 3) {
      const auto proof = (*log)->Proof(at->index);  // folds
      if (!proof) break;
    }
  }
  return acknowledged;
}

TEST(LogFault, ACrashAtAnyStepLosesNothingThatWasAcknowledged) {
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
    ASSERT_TRUE((*log)->Append(Run(99)));
    ASSERT_TRUE((*log)->Seal());
    ExpectWhole(scratch.dir());
  }
}

}  // namespace
}  // namespace belljar::audit
