#include "record/verify.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <thread>

#include "record/scratch.h"

namespace belljar::record {
namespace {

using testing::HasSubstr;
namespace fs = std::filesystem;

TEST(Verify, NamesTheRecordWhoseBytesWereChanged) {
  const Scratch scratch;
  MakeSealed(scratch, 300);
  const std::string file = "audit/tile/entries/000";
  const std::string good = scratch.Read(file);
  for (const int index : {0, 7, 255}) {
    std::string bad = good;
    bad[good.find("\"r" + std::to_string(index) + "\"") + 1] = 'q';
    scratch.Write(file, bad);
    const Finding found = FirstBad(scratch.dir());
    EXPECT_EQ(found.index, static_cast<std::uint64_t>(index));
    EXPECT_THAT(found.what, HasSubstr("do not fit together"));
  }
}

TEST(Verify, NamesTheRecordWhoseHashWasChanged) {
  const Scratch scratch;
  MakeSealed(scratch, 300);
  for (const std::size_t index : {0UL, 100UL, 255UL}) {
    const std::string good = scratch.Read("audit/tile/0/000");
    std::string bad = good;
    bad[index * 32 + 5] = static_cast<char>(bad[index * 32 + 5] ^ 1);
    scratch.Write("audit/tile/0/000", bad);
    EXPECT_EQ(FirstBad(scratch.dir()).index, index);
    scratch.Write("audit/tile/0/000", good);
  }
  std::string higher = scratch.Read("audit/tile/1/000.p/1");
  higher[0] = static_cast<char>(higher[0] ^ 1);
  scratch.Write("audit/tile/1/000.p/1", higher);
  EXPECT_THAT(FirstBad(scratch.dir()).what, HasSubstr("over records 0 to 255"));
}

TEST(Verify, NoticesRecordsThatWereReplacedWithTheirHashes) {
  const Scratch scratch;
  MakeSealed(scratch, 10);
  const std::string file = "audit/tile/entries/000.p/10";
  std::string entries = scratch.Read(file);
  entries[entries.find("\"r4\"") + 1] = 'q';
  scratch.Write(file, entries);
  std::vector<Hash> hashes;
  for (const std::string_view entry : DecodeEntries(entries, 10).entries) {
    hashes.push_back(LeafHash(entry));
  }
  scratch.Write("audit/tile/0/000.p/10", EncodeHashes(hashes));
  const Finding found = FirstBad(scratch.dir());
  EXPECT_EQ(found.index, 4U) << found.what;  // the database shows which record it was
}

class VerifyRows : public testing::Test {
 protected:
  void SetUp() override { MakeSealed(scratch_, 20); }

  Finding After(const std::string& sql) {
    auto database = storage::Database::Open("sqlite:" + scratch_.path("belljar.db"));
    EXPECT_TRUE(database);
    const auto done = (*database)->Execute(sql, {});
    EXPECT_TRUE(done) << done.error().message();
    return FirstBad(scratch_.dir());
  }

  Scratch scratch_;
};

TEST_F(VerifyRows, EveryColumnOfARowIsCompared) {
  for (const char* const column : {"event", "caller", "run_id", "session_id", "correlation_id",
                                   "traceparent", "outcome", "entry", "hash"}) {
    const std::string table = "UPDATE audit_records SET ";
    const std::string name(column);
    const Finding found = After(table + name + " = " + name + " || 'x' WHERE idx = 7");
    EXPECT_EQ(found.index, 7U) << column;
    EXPECT_THAT(found.what, HasSubstr(column));
    After(table + name + " = substr(" + name + ", 1, length(" + name + ") - 1) WHERE idx = 7");
  }
  EXPECT_EQ(After("UPDATE audit_records SET time_ms = time_ms + 1 WHERE idx = 3").index, 3U);
}

TEST_F(VerifyRows, RemovedRowsAreNamed) {
  EXPECT_EQ(After("DELETE FROM audit_records WHERE idx = 19").index, 19U);
  EXPECT_EQ(After("DELETE FROM audit_records WHERE idx IN (5, 6)").index, 5U);
  EXPECT_EQ(After("DELETE FROM audit_records").index, 0U);
}

TEST_F(VerifyRows, AddedRowsAreNamed) {
  const Finding found = After(
      "INSERT INTO audit_records SELECT log, idx + 15, time_ms, event, caller, run_id, session_id, "
      "correlation_id, traceparent, outcome, entry, hash FROM audit_records WHERE idx >= 10");
  EXPECT_EQ(found.index, 25U);
  EXPECT_THAT(found.what, HasSubstr("the log does not"));
  EXPECT_FALSE(OpenQuiet(scratch_.dir()));
}

TEST_F(VerifyRows, SwappedRowsAreNamed) {
  After("UPDATE audit_records SET idx = -1 WHERE idx = 8");
  After("UPDATE audit_records SET idx = 8 WHERE idx = 9");
  EXPECT_EQ(After("UPDATE audit_records SET idx = 9 WHERE idx = -1").index, 8U);
}

TEST_F(VerifyRows, AMissingOrForeignDatabaseIsTold) {
  scratch_.Write("belljar.db", "this is no database, and long enough to be looked at");
  EXPECT_THAT(FirstBad(scratch_.dir()).what, HasSubstr("database"));
  fs::remove(scratch_.path("belljar.db"));
  EXPECT_THAT(FirstBad(scratch_.dir()).what, HasSubstr("is not there"));
}

TEST(Verify, ForeignFilesAmongTheTilesAreTold) {
  const Scratch scratch;
  MakeSealed(scratch, 10);
  // Shorter than five hashes, though it begins like the tile.
  scratch.Write("audit/tile/0/000.p/5", scratch.Read("audit/tile/0/000.p/10").substr(0, 1));
  EXPECT_THAT(FirstBad(scratch.dir()).what, HasSubstr("not a part of the tile"));
  fs::remove(scratch.path("audit/tile/0/000.p/5"));
  scratch.Write("audit/notes.txt", "x");
  EXPECT_THAT(FirstBad(scratch.dir()).what, HasSubstr("notes.txt"));
}

TEST(Verify, ALogInUseIsWholeAtAnyMoment) {
  const Scratch scratch;
  Log::Options options{.dir = scratch.dir(), .database = ""};
  options.fold_after = std::chrono::milliseconds(300);
  const auto log = Log::Open(options);
  ASSERT_TRUE(log) << log.error().message();
  std::jthread writer([&](const std::stop_token& stop) {
    for (int i = 0; !stop.stop_requested(); ++i) {
      if (!(*log)->Append(SomeRun(i))) break;
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
  });
  for (int i = 0; i < 2; ++i) EXPECT_EQ(FirstBad(scratch.dir()).what, "");
}

TEST(Verify, WithoutALogThereIsNothingToSay) {
  const Scratch scratch;
  EXPECT_FALSE(Verify(scratch.dir(), ""));
}

}  // namespace
}  // namespace belljar::record
