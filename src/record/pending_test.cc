#include "record/pending.h"

#include <fcntl.h>
#include <gtest/gtest.h>

#include "foundation/base/sys.h"
#include "record/log_view.h"
#include "record/scratch.h"

namespace belljar::record {
namespace {

Batch SomeBatch(std::uint64_t first) {
  return {first, 0, {"entry " + std::to_string(first), "another"}, {"body"}};
}

PendingContent ContentOf(const Scratch& scratch) {
  const auto content = ReadPending(scratch.Read("pending-a"));
  EXPECT_TRUE(content) << content.error().message();
  return content ? *content : PendingContent{};
}

PendingFile Opened(const LogFiles& files, const Scratch& scratch) {
  auto file = PendingFile::Open(files, scratch.dir(), "pending-a");
  EXPECT_TRUE(file) << file.error().message();
  return std::move(*file);
}

TEST(Pending, HoldsBatchesInOrder) {
  const Scratch scratch;
  const LogFiles files;
  PendingFile file = Opened(files, scratch);
  for (const std::uint64_t first : {0, 2, 4}) {
    ASSERT_TRUE(file.Commit(files, EncodeBatch(SomeBatch(first), file.nonce())));
  }
  const PendingContent content = ContentOf(scratch);
  ASSERT_EQ(content.batches.size(), 3U);
  EXPECT_EQ(content.batches[2].entries[0], "entry 4");
  EXPECT_EQ(content.batches[2].bodies[0], "body");
  EXPECT_EQ(content.batches[2].end(), 6U);
  EXPECT_FALSE(content.stray);
  ASSERT_TRUE(file.Clear(files));
  EXPECT_TRUE(ContentOf(scratch).batches.empty());
  EXPECT_FALSE(ContentOf(scratch).stray);
}

TEST(LogFiles, WritesThroughWhereTheFileSystemCannotAndWhereItCan) {
  const Scratch scratch;
  const LogFiles files;
  const std::string block(512, 'a');
  scratch.Write("file", block + block + block);
  const Fd file = *Open(scratch.path("file"), O_RDWR);
  ASSERT_TRUE(files.WriteThrough(file, Fd(), std::string(512, 'b'), 512, "file"));
  const Fd through = OpenThrough(scratch.path("file"), block);
  ASSERT_TRUE(files.WriteThrough(file, through, std::string(512, 'c'), 1024, "file"));
  EXPECT_EQ(scratch.Read("file"), block + std::string(512, 'b') + std::string(512, 'c'));
  EXPECT_FALSE(OpenThrough(scratch.path("nothing"), block));
}

TEST(Pending, ABatchWithAnyByteChangedIsNone) {
  const Scratch scratch;
  const LogFiles files;
  PendingFile file = Opened(files, scratch);
  ASSERT_TRUE(file.Commit(files, EncodeBatch(SomeBatch(0), file.nonce())));
  const std::string good = scratch.Read("pending-a");
  for (std::size_t at = 512; at < 1024; at += 5) {
    std::string bent = good;
    bent[at] = static_cast<char>(bent[at] ^ 0x10);
    const auto content = ReadPending(bent);
    ASSERT_TRUE(content);
    EXPECT_TRUE(content->batches.empty()) << at;
    EXPECT_TRUE(content->stray) << at;
  }
}

TEST(Pending, TheFirstBlockAndTheSizeAreChecked) {
  const Scratch scratch;
  const LogFiles files;
  Opened(files, scratch);
  const std::string good = scratch.Read("pending-a");
  for (std::size_t at = 0; at < 512; at += 3) {
    std::string bent = good;
    bent[at] = static_cast<char>(bent[at] ^ 1);
    EXPECT_FALSE(ReadPending(bent)) << at;
  }
  EXPECT_FALSE(ReadPending(good + '\0'));
  EXPECT_FALSE(ReadPending(good.substr(1)));
}

TEST(Pending, AGuestThatWritesBatchesIntoItsOutputIsNotBelieved) {
  const Scratch scratch;
  const LogFiles files;
  PendingFile file = Opened(files, scratch);
  // The attacker knows everything except the file's random bytes.
  Batch hostile = SomeBatch(0);
  const std::string forged = EncodeBatch({0, 0, {"forged"}, {}}, std::string(32, '\0'));
  hostile.bodies = {std::string(420, 'x') + forged + forged};
  ASSERT_TRUE(file.Commit(files, EncodeBatch(hostile, file.nonce())));
  std::string torn = scratch.Read("pending-a");
  torn[512] = 0;
  for (std::size_t shift = 0; shift < 512; shift += 20) {
    std::string moved = torn.substr(0, 1024) + std::string(shift, 'y') + torn.substr(1024);
    moved.resize(torn.size());
    const auto content = ReadPending(moved);
    ASSERT_TRUE(content);
    EXPECT_TRUE(content->batches.empty());
  }
}

TEST(JoinPending, OrdersFilesAndNoticesGaps) {
  PendingContent a;
  PendingContent b;
  a.batches = {SomeBatch(4), SomeBatch(6)};
  b.batches = {SomeBatch(0), SomeBatch(2)};
  std::vector<std::string> problems;
  EXPECT_EQ(JoinPending({a, b}, 2, problems).size(), 3U);
  EXPECT_TRUE(problems.empty());
  b.batches.pop_back();
  EXPECT_EQ(JoinPending({a, b}, 2, problems).size(), 0U);
  EXPECT_EQ(problems.size(), 1U);
}

}  // namespace
}  // namespace belljar::record
