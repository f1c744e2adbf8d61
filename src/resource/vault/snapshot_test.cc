#include "resource/vault/snapshot.h"

#include <sys/stat.h>

#include <filesystem>

#include "request/vault.h"
#include "resource/vault/scratch.h"

namespace belljar::resource::vault {
namespace {

// A budget with this much left.
tree::Budget With(std::size_t entries, std::uint64_t bytes) {
  tree::Budget budget = WholeBudget();
  budget.left = {entries, bytes};
  return budget;
}

struct SnapshotTest : testing::Test {
  ScratchDirs dirs;

  Result<Tree> Take(tree::Budget budget = WholeBudget()) const {
    const Fd host = ScratchDirs::OpenDir(dirs.host());
    const Fd copy = ScratchDirs::OpenDir(dirs.copy());
    return CopyIn(host, copy, ::geteuid(), budget);
  }
  std::string Refusal(tree::Budget budget = WholeBudget()) const {
    const auto taken = Take(budget);
    return taken ? "taken" : taken.error().message();
  }
};

TEST_F(SnapshotTest, IsAnEqualTreeWithInodesOfItsOwn) {
  dirs.Write(dirs.host("a"), "text");
  dirs.Write(dirs.host("d/e/f"), std::string(200'000, 'x'));
  fs::create_directory(dirs.host("empty"));
  fs::create_symlink("/etc/passwd", dirs.host("l"));
  const auto tree = Take();
  ASSERT_TRUE(tree) << tree.error().message();
  EXPECT_EQ(ScratchDirs::Show(dirs.copy()), dirs.ShowHost());
  EXPECT_FALSE(fs::equivalent(dirs.copy("a"), dirs.host("a")));
  EXPECT_EQ(tree->size(), 6U);
}

TEST_F(SnapshotTest, ListsWhatReadTreeListsOfTheCopy) {
  dirs.Write(dirs.host("d/f"), "text");
  fs::create_symlink("d", dirs.host("l"));
  const auto tree = Take();
  ASSERT_TRUE(tree);
  tree::Budget budget = WholeBudget();
  const auto again = ReadTree(ScratchDirs::OpenDir(dirs.copy()), budget);
  ASSERT_TRUE(again);
  ASSERT_EQ(tree->size(), again->size());
  for (const auto& [path, node] : *tree) {
    EXPECT_EQ(again->at(path).digest, node.digest) << path;
    EXPECT_EQ(again->at(path).mode, node.mode) << path;
    EXPECT_EQ(again->at(path).target, node.target) << path;
  }
}

TEST_F(SnapshotTest, MakesHardLinksFilesOfTheirOwn) {
  dirs.Write(dirs.host("a"), "text");
  fs::create_hard_link(dirs.host("a"), dirs.host("b"));
  ASSERT_TRUE(Take());
  EXPECT_FALSE(fs::equivalent(dirs.copy("a"), dirs.copy("b")));
}

TEST_F(SnapshotTest, KeepsPermissionsAndDropsSetuid) {
  dirs.Write(dirs.host("suid"), "x");
  ASSERT_EQ(::chmod(dirs.host("suid").c_str(), 06755), 0);
  dirs.Write(dirs.host("closed/f"), "x");
  ASSERT_EQ(::chmod(dirs.host("closed").c_str(), 0555), 0);
  ASSERT_TRUE(Take());
  struct stat status {};
  ASSERT_EQ(::stat(dirs.copy("suid").c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 07777U, 0755U);
  ASSERT_EQ(::stat(dirs.copy("closed").c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 07777U, 0555U);
  for (const auto& dir : {dirs.host("closed"), dirs.copy("closed")}) ::chmod(dir.c_str(), 0755);
}

TEST_F(SnapshotTest, KeepsTimesOfModification) {
  dirs.Write(dirs.host("d/f"), "x");
  const auto then = fs::file_time_type::clock::now() - std::chrono::hours(1000);
  for (const char* name : {"d/f", "d"}) fs::last_write_time(dirs.host(name), then);
  ASSERT_TRUE(Take());
  for (const char* name : {"d/f", "d"}) {
    EXPECT_EQ(fs::last_write_time(dirs.copy(name)), fs::last_write_time(dirs.host(name))) << name;
  }
}

TEST_F(SnapshotTest, RefusesSpecialFilesByName) {
  fs::create_directory(dirs.host("d"));
  ASSERT_EQ(::mkfifo(dirs.host("d/fifo").c_str(), 0600), 0);
  EXPECT_EQ(Refusal(),
            "\"d/fifo\" is a socket, a FIFO or a device; a vault holds files, directories and "
            "links");
}

TEST_F(SnapshotTest, RefusesNamesThatCouldNotBeShown) {
  dirs.Write(dirs.host("new\nline"), "x");
  EXPECT_NE(Refusal().find("control character"), std::string::npos) << Refusal();
}

TEST_F(SnapshotTest, RefusesMoreThanItsBounds) {
  dirs.Write(dirs.host("a"), "x");
  dirs.Write(dirs.host("b"), "x");
  EXPECT_EQ(Refusal(With(1, 1 << 20)), "there are more than 20000 files and directories");
  fs::remove_all(dirs.copy("a"));
  // Two files of one byte take two pages.
  EXPECT_EQ(Refusal(With(9, 8191)), "there are more than 256 MiB");
}

TEST_F(SnapshotTest, TakesExactlyItsBounds) {
  dirs.Write(dirs.host("a"), "x");
  dirs.Write(dirs.host("b"), "x");
  EXPECT_TRUE(Take(With(2, 8192)));
}

TEST(BudgetTest, ASparseGiantDoesNotWrapRound) {
  tree::Budget budget = WholeBudget();
  EXPECT_FALSE(budget.TakeBytes(~std::uint64_t{0}));
  EXPECT_TRUE(budget.TakeBytes(request::kMaxVaultBytes));
  EXPECT_FALSE(budget.TakeBytes(1));
}

}  // namespace
}  // namespace belljar::resource::vault
