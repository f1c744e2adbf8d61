// A commit that is interrupted at any of its steps must leave either the old or the new state after
// the next start, even if that start is interrupted too.
#include "resource/vault/recovery.h"
#include "resource/vault/scratch.h"

namespace belljar::resource::vault {
namespace {

using Listed = std::vector<std::string>;

const Listed kBefore = {"a=old", "d/", "d/x=x", "dir/", "dir/y=y", "file=f", "keep=k", "l->a"};
const Listed kAfter = {"a=new",   "dir->keep", "file/", "file/z=z", "keep=k",
                       "l->keep", "n/",        "n/m/",  "n/m/o=o"};

void MakeBefore(const ScratchDirs& dirs) {
  dirs.Write(dirs.host("a"), "old");
  dirs.Write(dirs.host("d/x"), "x");
  dirs.Write(dirs.host("dir/y"), "y");
  dirs.Write(dirs.host("file"), "f");
  dirs.Write(dirs.host("keep"), "k");
  fs::create_symlink("a", dirs.host("l"));
}

// The changes of a program: every kind of step, and every change of an entry's kind.
void MakeAfter(const ScratchDirs& dirs) {
  dirs.Write(dirs.copy("a"), "new");
  for (const char* gone : {"d", "dir", "file", "l"}) fs::remove_all(dirs.copy(gone));
  fs::create_symlink("keep", dirs.copy("dir"));
  dirs.Write(dirs.copy("file/z"), "z");
  fs::create_symlink("keep", dirs.copy("l"));
  dirs.Write(dirs.copy("n/m/o"), "o");
}

// Commits with a crash at step `after`; returns whether it crashed.
bool CommitUntil(const ScratchDirs& dirs, int after) {
  MakeBefore(dirs);
  EXPECT_EQ(dirs.ShowHost(), kBefore);
  auto staged = dirs.Stage();
  EXPECT_TRUE(staged) << staged.error().message();
  MakeAfter(dirs);
  CrashPoint crash(after);
  const auto changes = CommitVaults(*staged, dirs.journals(), &crash);
  EXPECT_EQ(crash.crashed(), !changes);
  return crash.crashed();
}

TEST(CommitCrash, AtEveryStepLeavesAllOrNothingAfterRecovery) {
  int undone = 0;
  int finished = 0;
  for (int after = 1;; ++after) {
    const ScratchDirs dirs;
    if (!CommitUntil(dirs, after)) break;
    const auto recovered = Recover(dirs.journals());
    ASSERT_TRUE(recovered);
    ASSERT_EQ(recovered->size(), 1U) << after;
    EXPECT_FALSE((*recovered)[0].pending) << (*recovered)[0].sentence;
    const bool all = dirs.ShowHost() == kAfter;
    EXPECT_TRUE(all || dirs.ShowHost() == kBefore) << after;
    EXPECT_EQ((*recovered)[0].sentence.ends_with("finished"), all) << after;
    EXPECT_TRUE(all || finished == 0) << "undone at a later step than finished";
    ++(all ? finished : undone);
    EXPECT_FALSE(dirs.HasJournals());
  }
  // Crashes before the decision: the journal, five staged files, the last check. After it: three
  // removed names, two removed directories, three new directories, five renames, and the removal of
  // the journal.
  EXPECT_EQ(undone, 7);
  EXPECT_EQ(finished, 14);
}

TEST(CommitCrash, InRecoveryItselfIsRecovered) {
  for (int after = 1;; ++after) {
    for (int again = 1;; ++again) {
      const ScratchDirs dirs;
      if (!CommitUntil(dirs, after)) return;
      CrashPoint crash(again);
      ASSERT_TRUE(Recover(dirs.journals(), &crash));
      if (!crash.crashed()) break;
      ASSERT_TRUE(Recover(dirs.journals()));
      const Listed now = dirs.ShowHost();
      EXPECT_TRUE(now == kAfter || now == kBefore) << after << " " << again;
      EXPECT_FALSE(dirs.HasJournals());
    }
  }
}

TEST(Recovery, LeavesTheCommitOfALivingProcessAlone) {
  const ScratchDirs dirs;
  const auto journal = JournalFile::Begin(dirs.journals(), "id", {});
  ASSERT_TRUE(journal);
  EXPECT_TRUE(Recover(dirs.journals())->empty());
  EXPECT_TRUE(dirs.HasJournals());
}

TEST(Recovery, KeepsAJournalWhoseDirectoryIsNotThere) {
  const ScratchDirs dirs;
  ASSERT_TRUE(CommitUntil(dirs, 10));
  const std::string host = dirs.host().parent_path();
  fs::rename(host, dirs.other("unmounted"));
  auto recovered = Recover(dirs.journals());
  ASSERT_TRUE(recovered);
  EXPECT_TRUE((*recovered)[0].pending);
  EXPECT_EQ((*recovered)[0].hosts, std::vector<std::string>{host});
  fs::create_directory(host);  // a different directory
  recovered = Recover(dirs.journals());
  EXPECT_NE((*recovered)[0].sentence.find("another directory is there now"), std::string::npos);
  EXPECT_TRUE(fs::is_empty(host));
  fs::remove(host);
  fs::rename(dirs.other("unmounted"), host);
  recovered = Recover(dirs.journals());
  EXPECT_FALSE((*recovered)[0].pending);
  EXPECT_EQ(dirs.ShowHost(), kAfter);
}

TEST(Recovery, HeedsTheDeviceOnlyUntilTheMachineStartsAgain) {
  const ScratchDirs dirs;
  const auto part = [&](const std::string& boot) {
    struct stat status {};
    EXPECT_EQ(::stat(dirs.host().c_str(), &status), 0);
    return Part{dirs.host().parent_path(), status.st_dev + 1, status.st_ino, boot, 0, 0, {}};
  };
  EXPECT_FALSE(OpenPart(part(BootId())));
  EXPECT_TRUE(OpenPart(part("another")));
}

TEST(Recovery, TellsOfADamagedJournalAndTouchesNothing) {
  const ScratchDirs dirs;
  ScratchDirs::Write(dirs.journals() + "/x.commit", "{\"v\":1,\"vaults\":[");
  const auto recovered = Recover(dirs.journals());
  ASSERT_TRUE(recovered);
  EXPECT_TRUE((*recovered)[0].pending);
  EXPECT_TRUE(dirs.HasJournals());
}

TEST(Recovery, ClearsAwayAJournalThatWasNotWholeYet) {
  const ScratchDirs dirs;
  ScratchDirs::Write(dirs.journals() + "/x.new", "{\"v\":");
  EXPECT_TRUE(Recover(dirs.journals())->empty());
  EXPECT_FALSE(dirs.HasJournals());
}

}  // namespace
}  // namespace belljar::resource::vault
