#include "resource/vault/journal.h"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "resource/vault/scratch.h"

namespace belljar::resource::vault {
namespace {

const std::vector<Part> kParts = {{"/srv/data",
                                   7,
                                   9,
                                   "boot",
                                   1000,
                                   100,
                                   {{Doing::kRemove, "a", ""},
                                    {Doing::kRemoveDir, "d", ""},
                                    {Doing::kMakeDir, "e", ""},
                                    {Doing::kPlace, "e/\"quoted\" \\ and ü", ".belljar-x-3"}}},
                                  {"/srv/other", 8, 1, "", 0, 0, {}}};

TEST(Journal, IsReadAsItWasWritten) {
  const auto read = ReadParts(WriteParts(kParts));
  ASSERT_TRUE(read) << read.error().message();
  EXPECT_EQ(*read, kParts);
}

TEST(Journal, CutShortAnywhereIsRefused) {
  const std::string text = WriteParts(kParts);
  for (std::size_t size = 0; size < text.size(); ++size) {
    EXPECT_FALSE(ReadParts(text.substr(0, size))) << size;
  }
}

TEST(Journal, PathsThatNoCommitWritesAreRefused) {
  for (const char* path : {"../x", "/etc/passwd", "a/../../b", ""}) {
    std::vector<Part> parts = kParts;
    parts[0].steps[0].path = path;
    EXPECT_FALSE(ReadParts(WriteParts(parts))) << path;
  }
  std::vector<Part> parts = kParts;
  parts[0].steps[3].waiting = "precious";  // undoing would remove it
  EXPECT_FALSE(ReadParts(WriteParts(parts)));
  parts = kParts;
  parts[0].host = "relative";
  EXPECT_FALSE(ReadParts(WriteParts(parts)));
}

TEST(JournalFile, IsNotTakenOverWhileItsProcessHoldsIt) {
  const ScratchDirs dirs;
  const auto held = JournalFile::Begin(dirs.journals(), "id", kParts);
  ASSERT_TRUE(held);
  const auto taken = JournalFile::TakeOver(dirs.journals(), "id.prepare");
  ASSERT_TRUE(taken);
  EXPECT_FALSE(*taken);
}

// Every start looks for journals of dead processes, and a new journal is not locked yet for a
// moment: so with many runs at once, some commits used to fail.
TEST(JournalFile, IsBegunHoweverManyOthersClearAway) {
  const ScratchDirs dirs;
  std::atomic<int> cleared{0};
  const std::jthread other([&](const std::stop_token& stop) {
    while (!stop.stop_requested()) {
      auto taken = JournalFile::TakeOver(dirs.journals(), "id.new");
      if (taken && *taken && (**taken).Remove()) ++cleared;
    }
  });
  for (int i = 0; i < 20'000 && cleared < 5; ++i) {
    auto begun = JournalFile::Begin(dirs.journals(), "id", {});
    ASSERT_TRUE(begun) << begun.error().message();
    ASSERT_TRUE(begun->Remove());
  }
}

TEST(JournalFile, IsTakenOverWithItsStageAndStepsOnceNobodyHoldsIt) {
  const ScratchDirs dirs;
  {
    auto held = JournalFile::Begin(dirs.journals(), "id", kParts);
    ASSERT_TRUE(held);
    ASSERT_TRUE(held->Commit());
  }
  EXPECT_EQ(*ListJournals(dirs.journals()), std::vector<std::string>{"id.commit"});
  auto taken = JournalFile::TakeOver(dirs.journals(), "id.commit");
  ASSERT_TRUE(taken && *taken);
  EXPECT_EQ((*taken)->stage(), Stage::kCommitted);
  EXPECT_EQ(*(*taken)->Read(), kParts);
  EXPECT_TRUE((*taken)->Remove());
  EXPECT_TRUE(ListJournals(dirs.journals())->empty());
}

TEST(JournalFile, ThatHasGoneOnIsNotMistakenForItsFormerStage) {
  const ScratchDirs dirs;
  auto held = JournalFile::Begin(dirs.journals(), "id", kParts);
  ASSERT_TRUE(held);
  ASSERT_TRUE(held->Commit());
  const auto taken = JournalFile::TakeOver(dirs.journals(), "id.prepare");
  ASSERT_TRUE(taken);
  EXPECT_FALSE(*taken);
}

TEST(JournalFile, OfADirectoryThatOthersCanWriteToIsNotBelieved) {
  const ScratchDirs dirs;
  { ASSERT_TRUE(JournalFile::Begin(dirs.journals(), "id", kParts)); }
  ASSERT_EQ(::chmod(dirs.journals().c_str(), 0777), 0);
  EXPECT_FALSE(ListJournals(dirs.journals()));
  EXPECT_FALSE(JournalFile::TakeOver(dirs.journals(), "id.prepare"));
}

TEST(ListJournals, OfADirectoryThatIsNotThereIsEmpty) {
  const ScratchDirs dirs;
  EXPECT_TRUE(ListJournals(dirs.journals())->empty());
}

}  // namespace
}  // namespace belljar::resource::vault
