#include "resource/vault/commit.h"

#include <sys/stat.h>

#include "resource/vault/conflict.h"
#include "resource/vault/recovery.h"
#include "resource/vault/scratch.h"

namespace belljar::resource::vault {
namespace {

using Lines = std::vector<std::string>;

struct CommitTest : testing::Test {
  ScratchDirs dirs;
  std::vector<Staged> staged;

  void Stage() {
    auto vaults = dirs.Stage();
    ASSERT_TRUE(vaults) << vaults.error().message();
    staged = *std::move(vaults);
  }
  std::string Commit() {
    const auto changes = CommitVaults(staged, dirs.journals());
    return changes ? "committed" : changes.error().message();
  }
  // The error of Commit() without the path of the test's directory.
  std::string Refusal() {
    std::string message = Commit();
    const std::string prefix = "vault " + dirs.host().parent_path().native() + ": ";
    return message.starts_with(prefix) ? message.substr(prefix.size()) : message;
  }
};

TEST_F(CommitTest, CarriesEveryKindOfChangeBack) {
  dirs.Write(dirs.host("a"), "old");
  dirs.Write(dirs.host("gone"), "x");
  dirs.Write(dirs.host("tree/x/y"), "x");
  dirs.Write(dirs.host("swap"), "file");
  Stage();
  dirs.Write(dirs.copy("a"), "new");
  fs::remove(dirs.copy("gone"));
  fs::remove_all(dirs.copy("tree"));
  fs::remove(dirs.copy("swap"));
  dirs.Write(dirs.copy("swap/now/a"), "directory");
  fs::create_symlink("a", dirs.copy("link"));
  const auto changes = CommitVaults(staged, dirs.journals());
  ASSERT_TRUE(changes) << changes.error().message();
  EXPECT_EQ(dirs.ShowHost(),
            (Lines{"a=new", "link->a", "swap/", "swap/now/", "swap/now/a=directory"}));
  EXPECT_EQ((*changes)[0].deleted, (Lines{"gone", "swap", "tree/", "tree/x/", "tree/x/y"}));
  EXPECT_FALSE(dirs.HasJournals());
}

TEST_F(CommitTest, OfNothingLeavesTheHostsInodesAlone) {
  dirs.Write(dirs.host("a"), "x");
  struct stat before {};
  ASSERT_EQ(::stat(dirs.host("a").c_str(), &before), 0);
  Stage();
  dirs.Write(dirs.copy("a"), "x");  // written, and the same
  EXPECT_EQ(Commit(), "committed");
  struct stat after {};
  ASSERT_EQ(::stat(dirs.host("a").c_str(), &after), 0);
  EXPECT_EQ(before.st_ino, after.st_ino);
  EXPECT_FALSE(fs::exists(dirs.journals()));
}

TEST_F(CommitTest, KeepsModesAndCarriesTheRightToExecute) {
  dirs.Write(dirs.host("private"), "x");
  dirs.Write(dirs.host("script"), "x");
  for (const char* name : {"private", "script"}) ::chmod(dirs.host(name).c_str(), 0640);
  Stage();
  dirs.Write(dirs.copy("private"), "y");
  ::chmod(dirs.copy("private").c_str(), 0666);
  ::chmod(dirs.copy("script").c_str(), 0777);
  dirs.Write(dirs.copy("new"), "y");
  ::chmod(dirs.copy("new").c_str(), 06777);
  ASSERT_EQ(Commit(), "committed");
  const auto mode = [&](const char* name) {
    struct stat status {};
    EXPECT_EQ(::stat(dirs.host(name).c_str(), &status), 0);
    return status.st_mode & 07777U;
  };
  EXPECT_EQ(mode("private"), 0640U);
  EXPECT_EQ(mode("script"), 0750U);
  EXPECT_EQ(mode("new") & ~0755U, 0U);
}

TEST_F(CommitTest, ConflictsRefuseTheWholeByName) {
  dirs.Write(dirs.host("a"), "old");
  dirs.Write(dirs.host("b"), "old");
  Stage();
  dirs.Write(dirs.copy("a"), "guest");
  dirs.Write(dirs.copy("b"), "guest");
  dirs.Write(dirs.host("b"), "own");  // of the same size
  EXPECT_EQ(Refusal(), "\"b\" was changed on the host while the program ran; nothing was written");
  EXPECT_EQ(dirs.ShowHost(), (Lines{"a=old", "b=own"}));
  EXPECT_FALSE(dirs.HasJournals());
}

TEST_F(CommitTest, WhatTheHostMadeOrRemovedIsAConflict) {
  dirs.Write(dirs.host("gone"), "x");
  Stage();
  dirs.Write(dirs.copy("made"), "guest");
  dirs.Write(dirs.host("made"), "own");
  EXPECT_EQ(Refusal(), "\"made\" was made on the host while the program ran; nothing was written");
  fs::remove(dirs.host("made"));
  dirs.Write(dirs.copy("gone"), "guest");
  fs::remove(dirs.host("gone"));
  EXPECT_EQ(Refusal(),
            "\"gone\" was removed from the host while the program ran; nothing was written");
  EXPECT_EQ(dirs.ShowHost(), Lines{});
}

TEST_F(CommitTest, ARemovedDirectoryTakesNothingNewAlong) {
  dirs.Write(dirs.host("d/x"), "x");
  Stage();
  fs::remove_all(dirs.copy("d"));
  dirs.Write(dirs.host("d/precious"), "own");
  EXPECT_EQ(Refusal(),
            "\"d/precious\" was made on the host while the program ran; nothing was written");
  EXPECT_EQ(dirs.ShowHost(), (Lines{"d/", "d/precious=own", "d/x=x"}));
}

TEST_F(CommitTest, ATouchIsNoConflictAndOtherFilesMayChange) {
  dirs.Write(dirs.host("a"), "x");
  dirs.Write(dirs.host("log"), "x");
  Stage();
  dirs.Write(dirs.copy("a"), "guest");
  dirs.Write(dirs.host("log"), "more");
  fs::last_write_time(dirs.host("a"), fs::file_time_type::clock::now() + std::chrono::hours(1));
  EXPECT_EQ(Commit(), "committed");
  EXPECT_EQ(dirs.ShowHost(), (Lines{"a=guest", "log=more"}));
}

TEST_F(CommitTest, ADirectorySwappedForALinkIsNotWrittenThrough) {
  fs::create_directory(dirs.host("d"));
  fs::create_directory(dirs.other("victim"));
  Stage();
  dirs.Write(dirs.copy("d/f"), "guest");
  fs::remove(dirs.host("d"));
  fs::create_symlink(dirs.other("victim"), dirs.host("d"));
  EXPECT_NE(Commit(), "committed");
  EXPECT_TRUE(fs::is_empty(dirs.other("victim")));
  EXPECT_FALSE(dirs.HasJournals());
}

TEST_F(CommitTest, SpecialFilesAndLinksOutwardsRefuseTheWhole) {
  Stage();
  dirs.Write(dirs.copy("good"), "x");
  ASSERT_EQ(::mkfifo(dirs.copy("fifo").c_str(), 0600), 0);
  EXPECT_NE(Commit().find("\"fifo\" is a socket"), std::string::npos);
  fs::remove(dirs.copy("fifo"));
  fs::create_symlink("/etc/passwd", dirs.copy("link"));
  EXPECT_NE(Commit().find("it is absolute"), std::string::npos);
  EXPECT_EQ(dirs.ShowHost(), Lines{});
}

TEST_F(CommitTest, HardLinksOfTheProgramsBecomeFilesOfTheirOwn) {
  Stage();
  dirs.Write(dirs.copy("a"), "x");
  fs::create_hard_link(dirs.copy("a"), dirs.copy("b"));
  ASSERT_EQ(Commit(), "committed");
  EXPECT_EQ(dirs.ShowHost(), (Lines{"a=x", "b=x"}));
  EXPECT_FALSE(fs::equivalent(dirs.host("a"), dirs.host("b")));
}

TEST_F(CommitTest, ASparseGiantIsRefused) {
  Stage();
  dirs.Write(dirs.copy("giant"), "x");
  fs::resize_file(dirs.copy("giant"), request::kMaxVaultBytes + 1);
  EXPECT_EQ(Refusal(), "there are more than 256 MiB");
}

TEST_F(CommitTest, OfManyFilesIsWhole) {
  Stage();
  for (int i = 0; i < 300; ++i) dirs.Write(dirs.copy("d/" + std::to_string(i)), "x");
  ASSERT_EQ(Commit(), "committed");
  EXPECT_EQ(dirs.ShowHost().size(), 301U);
}

TEST_F(CommitTest, AReadOnlyVaultIsNotCommitted) {
  auto vaults = dirs.Stage(request::VaultMode::kReadOnly);
  ASSERT_TRUE(vaults);
  dirs.Write(dirs.copy("a"), "x");
  const auto changes = CommitVaults(*vaults, dirs.journals());
  ASSERT_TRUE(changes);
  EXPECT_TRUE((*changes)[0].empty());
  EXPECT_EQ(dirs.ShowHost(), Lines{});
}

TEST_F(CommitTest, StateDirectoriesAreNoVaults) {
  const Fd at = ScratchDirs::OpenDir(dirs.copy());
  const std::string above = dirs.host().parent_path().parent_path();
  for (const std::string& host : {dirs.state(), above}) {
    const auto staged_state =
        StageVaults({{host, request::VaultMode::kReadOnly}}, {&at}, dirs.state());
    ASSERT_FALSE(staged_state) << host;
    EXPECT_EQ(staged_state.error().message(),
              "vault " + host + ": Belljar keeps its own state there");
  }
}

TEST_F(CommitTest, WritableVaultsDoNotOverlap) {
  fs::create_directory(dirs.host("d"));
  fs::create_directory_symlink(dirs.host("d"), dirs.other("alias"));
  const Fd one = ScratchDirs::OpenDir(dirs.copy());
  using Mode = request::VaultMode;
  const std::string outer = dirs.host().parent_path();
  const auto overlapping =
      StageVaults({{outer, Mode::kReadOnly}, {dirs.other("alias"), Mode::kReadWrite}}, {&one, &one},
                  dirs.state());
  ASSERT_FALSE(overlapping);
  EXPECT_NE(overlapping.error().message().find("overlaps with " + outer), std::string::npos);
}

TEST_F(CommitTest, OfSeveralVaultsIsOneTransaction) {
  fs::create_directory(dirs.other("second"));
  fs::create_directory(dirs.other("copy2"));
  dirs.Write(dirs.other("second") / "f", "old");
  const Fd one = ScratchDirs::OpenDir(dirs.copy());
  const Fd two = ScratchDirs::OpenDir(dirs.other("copy2"));
  using Mode = request::VaultMode;
  auto both = StageVaults(
      {{dirs.host().parent_path(), Mode::kReadWrite}, {dirs.other("second"), Mode::kReadWrite}},
      {&one, &two}, dirs.state());
  ASSERT_TRUE(both) << both.error().message();
  dirs.Write(dirs.copy("a"), "x");
  dirs.Write(dirs.other("copy2") / "f", "guest");
  dirs.Write(dirs.other("second") / "f", "own");
  EXPECT_FALSE(CommitVaults(*both, dirs.journals()));
  EXPECT_EQ(dirs.ShowHost(), Lines{});
  dirs.Write(dirs.other("second") / "f", "old");
  EXPECT_TRUE(CommitVaults(*both, dirs.journals()));
  EXPECT_EQ(dirs.ShowHost(), Lines{"a=x"});
  EXPECT_EQ(ScratchDirs::Read(dirs.other("second") / "f"), "guest");
}

}  // namespace
}  // namespace belljar::resource::vault
