// Disks that are full, read-only, or that fail in the middle of a write.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <thread>

#include "foundation/base/sys.h"
#include "record/files_fake.h"
#include "record/log.h"
#include "record/scratch.h"
#include "record/verify.h"

namespace belljar::record {
namespace {

using testing::HasSubstr;

TEST(LogFault, AReadOnlyDiskFailsAppendsAndIsForgottenWhenItEnds) {
  const Scratch scratch;
  FaultyFiles files;
  const auto log = OpenQuiet(scratch.dir(), &files);
  ASSERT_TRUE(log) << log.error().message();
  ASSERT_TRUE((*log)->Append(SomeRun(0)));
  files.MakeReadOnly();
  const auto failed = (*log)->Append(SomeRun(1));
  ASSERT_FALSE(failed);
  EXPECT_THAT(failed.error().message(), HasSubstr("Read-only file system"));
  EXPECT_EQ((*log)->size(), 1U);
  files.Mend();
  const auto again = (*log)->Append(SomeRun(2));
  ASSERT_TRUE(again) << again.error().message();
  EXPECT_EQ(again->index, 1U);
  ASSERT_TRUE((*log)->Seal());
  ExpectWhole(scratch.dir(), 2);
}

TEST(LogFault, AFailedSyncAcknowledgesNothing) {
  const Scratch scratch;
  FaultyFiles files;
  const auto log = OpenQuiet(scratch.dir(), &files);
  files.Fail("sync", EIO);
  Entry longer = SomeRun(0);
  longer.detail["text"] = std::string(5'000, 'x');
  EXPECT_FALSE((*log)->Append(longer));
  files.Mend();
  EXPECT_EQ((*log)->Append(SomeRun(1))->index, 0U);
  ASSERT_TRUE((*log)->Seal());
  ExpectWhole(scratch.dir(), 1);
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
    for (int i = 0; i < 5; ++i) BJ_TRY((*log)->Append(SomeRun(i)));
    return {};
  }));
  EXPECT_EQ((*log)->Find({})->size(), 5U);
}

}  // namespace
}  // namespace belljar::record
