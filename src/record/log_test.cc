#include "record/log.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <map>
#include <thread>

#include "foundation/base/sys.h"
#include "record/proof.h"
#include "record/scratch.h"
#include "record/verify.h"

namespace belljar::record {
namespace {

using testing::HasSubstr;

TEST(Log, GivesEachRecordItsIndexAndLeafHash) {
  const Scratch scratch;
  const auto log = OpenQuiet(scratch.dir());
  ASSERT_TRUE(log) << log.error().message();
  for (int i = 0; i < 3; ++i) {
    const auto at = (*log)->Append(SomeRun(i));
    ASSERT_TRUE(at) << at.error().message();
    EXPECT_EQ(at->index, static_cast<std::uint64_t>(i));
    const auto record = (*log)->At(at->index);
    ASSERT_TRUE(record && *record);
    EXPECT_EQ((*record)->hash, at->hash);
    EXPECT_EQ((*record)->run_id, "r" + std::to_string(i));
    EXPECT_EQ(Hex(Bytes(LeafHash((*record)->entry))), at->hash);
  }
  EXPECT_EQ((*log)->size(), 3U);
  EXPECT_FALSE(*(*log)->At(3).operator->());
}

TEST(Log, RecordsAreCanonicalJson) {
  const Scratch scratch;
  const auto log = OpenQuiet(scratch.dir());
  Entry entry = SomeRun(7);
  entry.detail = {{"b", "\n\x01"}, {"a", 0.5}, {"c", json::array{nullptr, true, -1}}};
  ASSERT_TRUE((*log)->Append(entry));
  const auto record = (*log)->At(0);
  EXPECT_THAT((*record)->entry,
              HasSubstr(R"({"caller":"bob","detail":{"a":0.5,"b":"\n\u0001","c":[null,true,-1]},)"
                        R"("event":"run","index":0,"outcome":"ok","run_id":"r7","time":"2)"));
  EXPECT_THAT((*record)->entry, testing::EndsWith(R"(Z","v":1})"));
}

TEST(Log, ContinuesWhereItEnded) {
  const Scratch scratch;
  for (int start = 0; start < 4; ++start) {
    const auto log = OpenQuiet(scratch.dir());
    ASSERT_TRUE(log) << log.error().message();
    AppendRuns(**log, 100);
    if (start % 2 == 0) {
      ASSERT_TRUE((*log)->Seal());
    }
  }
  const auto log = OpenQuiet(scratch.dir());
  ASSERT_TRUE(log) << log.error().message();
  EXPECT_EQ((*log)->size(), 400U);
  ASSERT_TRUE((*log)->Seal());
  ExpectWhole(scratch.dir(), 400);
  EXPECT_TRUE(std::filesystem::exists(scratch.path("audit/tile/0/001.p/144")));
  EXPECT_FALSE(std::filesystem::exists(scratch.path("audit/tile/0/000.p")));
}

TEST(Log, TakesNoRecordAfterItsSeal) {
  const Scratch scratch;
  const auto log = OpenQuiet(scratch.dir());
  ASSERT_TRUE((*log)->Seal());
  EXPECT_FALSE((*log)->Append(SomeRun(0)));
}

TEST(Log, IsWrittenByOneAtATime) {
  const Scratch scratch;
  const auto log = OpenQuiet(scratch.dir());
  const auto second = OpenQuiet(scratch.dir());
  ASSERT_FALSE(second);
  EXPECT_THAT(second.error().message(), HasSubstr("another belljar is writing"));
}

TEST(Log, ManyThreadsGetDistinctIndexes) {
  const Scratch scratch;
  constexpr int kThreads = 16;
  constexpr int kEach = 100;
  {
    const auto log = OpenQuiet(scratch.dir());
    std::vector<std::vector<std::uint64_t>> got(kThreads);
    {
      std::vector<std::jthread> threads;
      for (int t = 0; t < kThreads; ++t) {
        threads.emplace_back([&, t] {
          for (int i = 0; i < kEach; ++i) {
            const auto at = (*log)->Append(SomeRun(t * kEach + i));
            if (at) got[static_cast<std::size_t>(t)].push_back(at->index);
          }
        });
      }
    }
    std::set<std::uint64_t> all;
    for (const auto& one : got) {
      EXPECT_TRUE(std::is_sorted(one.begin(), one.end()));
      all.insert(one.begin(), one.end());
    }
    EXPECT_EQ(all.size(), static_cast<std::size_t>(kThreads * kEach));
    EXPECT_EQ(*all.rbegin(), static_cast<std::uint64_t>(kThreads * kEach - 1));
    ASSERT_TRUE((*log)->Seal());
  }
  ExpectWhole(scratch.dir(), kThreads * kEach);
}

TEST(Log, TakesSeveralInTheirOrderAlsoFromManyThreads) {
  const Scratch scratch;
  const auto log = OpenQuiet(scratch.dir());
  {
    std::vector<std::jthread> threads;
    for (int thread = 0; thread < 4; ++thread) {
      threads.emplace_back([&, thread] {
        std::vector<Entry> entries;
        for (int i = 0; i < 25; ++i) entries.push_back(SomeRun(thread * 25 + i));
        EXPECT_TRUE((*log)->AppendAll(entries));
      });
    }
  }
  ASSERT_EQ((*log)->size(), 100U);
  std::map<int, int> last;  // the last index of each thread
  for (std::uint64_t index = 0; index < 100; ++index) {
    const int run = std::stoi((*(*log)->At(index))->run_id.substr(1));
    EXPECT_EQ(run % 25, last[run / 25]++);
  }
}

TEST(Log, FoldsByItselfAfterAWhile) {
  const Scratch scratch;
  Log::Options options{.dir = scratch.dir(), .database = ""};
  options.fold_after = std::chrono::milliseconds(5);
  const auto log = Log::Open(options);
  ASSERT_TRUE((*log)->Append(SomeRun(0)));
  const auto is_signed = [&] { return scratch.Read("audit/checkpoint").contains("\n1\n"); };
  for (int i = 0; i < 2000 && !is_signed(); ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  EXPECT_TRUE(is_signed());
}

TEST(Log, FindsRecordsByTheirFieldsAsSoonAsTheyAreWritten) {
  const Scratch scratch;
  const auto log = OpenQuiet(scratch.dir());
  AppendRuns(**log, 10);
  Entry other = SomeRun(10);
  other.event = Event::kRefusal;
  other.session_id = "s1";
  other.correlation_id = "c1";
  other.outcome = "refused";
  ASSERT_TRUE((*log)->Append(other));
  const auto count = [&](const Filter& filter) {
    const auto found = (*log)->Find(filter);
    EXPECT_TRUE(found) << found.error().message();
    return found->size();
  };
  EXPECT_EQ(count({.caller = "alice"}), 6U);
  EXPECT_EQ(count({.session_id = "s1"}), 1U);
  EXPECT_EQ(count({.run_id = "r3"}), 1U);
  EXPECT_EQ(count({.outcome = "refused"}), 1U);
  EXPECT_EQ(count({.correlation_id = "c1"}), 1U);
  EXPECT_EQ(count({.event = Event::kRefusal}), 1U);
  EXPECT_EQ(count({.caller = "alice", .event = Event::kRun}), 5U);
  EXPECT_EQ(count({.since = 0, .until = 1}), 0U);
  EXPECT_EQ(count({.limit = 4}), 4U);
  const auto page = (*log)->Find({.before_index = 5, .limit = 2});
  ASSERT_EQ(page->size(), 2U);
  EXPECT_EQ((*page)[0].index, 4U);
  EXPECT_EQ((*page)[1].index, 3U);
}

TEST(Log, ProofsHoldWithoutTheLog) {
  const Scratch scratch;
  const auto log = OpenQuiet(scratch.dir());
  AppendRuns(**log, 300);
  const auto key = VerifierKey::Parse(
      scratch.Read("audit/key.pub").substr(0, scratch.Read("audit/key.pub").size() - 1));
  ASSERT_TRUE(key);
  for (const std::uint64_t index : {0, 1, 255, 256, 299}) {
    const auto text = (*log)->Proof(index);
    ASSERT_TRUE(text) << text.error().message();
    const auto proof = ParseProof(*text);
    ASSERT_TRUE(proof) << proof.error().message();
    EXPECT_EQ(FormatProof(*proof), *text);
    const auto record = CheckProof(*proof, *key);
    ASSERT_TRUE(record) << record.error().message();
    EXPECT_EQ(record->run_id, "r" + std::to_string(index));
    auto bent = *proof;
    bent.entry[5] ^= 1;
    EXPECT_FALSE(CheckProof(bent, *key));
  }
  EXPECT_FALSE((*log)->Proof(300));
}

TEST(Log, KeepsBodiesByTheirDigest) {
  const Scratch scratch;
  const std::string large(200'000, 'L');
  std::string small_digest;
  std::string large_digest;
  {
    const auto log = OpenQuiet(scratch.dir());
    small_digest = *(*log)->PutBody("abc");
    large_digest = *(*log)->PutBody(large);
    EXPECT_EQ(small_digest,
              "sha256:ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    EXPECT_EQ(**(*log)->Body(small_digest), "abc");
    EXPECT_EQ(**(*log)->Body(large_digest), large);
    ASSERT_TRUE((*log)->Append(SomeRun(0)));
    EXPECT_EQ(**(*log)->Body(small_digest), "abc");
  }  // not sealed: the body is only in a pending file
  const auto log = OpenQuiet(scratch.dir());
  EXPECT_EQ(**(*log)->Body(small_digest), "abc");
  EXPECT_EQ(scratch.Read("bodies/" + small_digest.substr(7, 2) + "/" + small_digest.substr(9)),
            "abc");
  EXPECT_EQ(**(*log)->Body(large_digest), large);
  EXPECT_FALSE(*(*log)->Body("sha256:" + std::string(64, '0')).operator->());
  EXPECT_FALSE((*log)->Body("sha256:../../etc/passwd"));
}

TEST(Log, PutsADetailThatIsTooLargeAmongTheBodies) {
  const Scratch scratch;
  const auto log = OpenQuiet(scratch.dir());
  Entry entry = SomeRun(0);
  entry.detail = {{"text", std::string(100'000, 'x')}};
  ASSERT_TRUE((*log)->Append(entry));
  const auto record = (*log)->At(0);
  const auto parsed = ParseJson((*record)->entry);
  const std::string digest(parsed->at("detail").at("detail_sha256").as_string());
  EXPECT_EQ((**(*log)->Body(digest)).size(), 100'000U + 11);
}

TEST(Log, RefusesWhatNoRecordCanHold) {
  const Scratch scratch;
  const auto log = OpenQuiet(scratch.dir());
  Entry entry = SomeRun(0);
  entry.caller = std::string(257, 'x');
  EXPECT_THAT((*log)->Append(entry).error().message(), HasSubstr("caller is longer than 256"));
  entry.caller = std::string("a\0b", 3);
  EXPECT_THAT((*log)->Append(entry).error().message(), HasSubstr("control character"));
  entry.caller = "\xff";
  EXPECT_THAT((*log)->Append(entry).error().message(), HasSubstr("not UTF-8"));
  EXPECT_EQ((*log)->size(), 0U);
}

TEST(Log, KeysAreForTheOwnerAlone) {
  const Scratch scratch;
  const auto log = OpenQuiet(scratch.dir());
  struct stat info {};
  ASSERT_EQ(::stat(scratch.path("audit/key").c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777U, 0600U);
}

TEST(Log, MendsTheDatabaseFromTheFiles) {
  const Scratch scratch;
  {
    const auto log = OpenQuiet(scratch.dir());
    AppendRuns(**log, 20);
    ASSERT_TRUE((*log)->Seal());
  }
  {
    const auto database = storage::Database::Open("sqlite:" + scratch.path("belljar.db"));
    ASSERT_TRUE((*database)->Execute("DELETE FROM audit_records WHERE idx IN (3, 4, 19)", {}));
  }
  {
    const auto log = OpenQuiet(scratch.dir());
    ASSERT_TRUE(log) << log.error().message();
    EXPECT_EQ((*log)->Find({})->size(), 20U);
  }
  for (const char* const name : {"belljar.db", "belljar.db-wal", "belljar.db-shm"}) {
    std::filesystem::remove(scratch.path(name));
  }
  const auto log = OpenQuiet(scratch.dir());
  ASSERT_TRUE(log) << log.error().message();
  EXPECT_EQ((*log)->Find({})->size(), 20U);
  ExpectWhole(scratch.dir(), 20);
}

}  // namespace
}  // namespace belljar::record
