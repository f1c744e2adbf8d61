#include "run/workspace.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <linux/magic.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "foundation/base/sys.h"

namespace belljar::run {
namespace {

using testing::ElementsAre;

class WorkspaceTest : public testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = testing::TempDir() + "workspaceXXXXXX";
    root_ = ::mkdtemp(pattern.data());
    auto dir = Open(root_, O_PATH | O_DIRECTORY);
    ASSERT_TRUE(dir);
    dir_ = *std::move(dir);
  }
  void TearDown() override { std::filesystem::remove_all(root_); }

  void Write(const std::string& name, const std::string& text) {
    std::filesystem::create_directories((root_ / std::filesystem::path(name)).parent_path());
    std::ofstream(root_ / std::filesystem::path(name)) << text;
  }

  std::filesystem::path root_;
  Fd dir_;
};

TEST_F(WorkspaceTest, TellsWhatWasCreatedChangedAndDeleted) {
  ASSERT_TRUE(PutFiles(dir_, {{"keep", "1"}, {"sub/change", "1"}, {"gone", "1"}}, ::geteuid()));
  const auto before = run::List(dir_);
  Write("sub/change", "22");
  Write("new/file", "x");
  std::filesystem::remove(root_ / "gone");
  const auto after = run::List(dir_);
  const FileChanges changes = Compare(before, after);
  EXPECT_THAT(changes.created, ElementsAre("new/file"));
  EXPECT_THAT(changes.changed, ElementsAre("sub/change"));
  EXPECT_THAT(changes.deleted, ElementsAre("gone"));
  EXPECT_FALSE(changes.incomplete);
}

TEST(ListingInMemory, FindsWhateverIsPutIntoAnEmptyDirectory) {
  std::string pattern = "/dev/shm/listingXXXXXX";
  struct statfs fs {};
  if (::statfs("/dev/shm", &fs) != 0 || fs.f_type != TMPFS_MAGIC) GTEST_SKIP() << "no tmpfs";
  const std::filesystem::path root = ::mkdtemp(pattern.data());
  const Fd dir = *Open(root, O_PATH | O_DIRECTORY);
  const auto size = SizeWhenEmpty(dir);
  ASSERT_TRUE(size);
  const auto names = [&] {
    std::vector<std::string> all;
    for (const auto& [path, state] : run::List(dir, size).files) all.push_back(path);
    return all;
  };
  EXPECT_THAT(names(), ElementsAre());
  std::ofstream(root / "made") << "1";
  EXPECT_THAT(names(), ElementsAre("made"));
  EXPECT_FALSE(SizeWhenEmpty(dir));
  std::filesystem::create_directory(root / "sub");
  ASSERT_EQ(::link((root / "made").c_str(), (root / "sub/linked").c_str()), 0);
  std::filesystem::remove(root / "made");
  EXPECT_THAT(names(), ElementsAre("sub/linked"));
  EXPECT_FALSE(SizeWhenEmpty(dir));
  std::filesystem::rename(root / "sub/linked", root / "moved");
  EXPECT_FALSE(SizeWhenEmpty(dir)) << "it has a directory";
  std::filesystem::remove(root / "sub");
  EXPECT_THAT(names(), ElementsAre("moved"));
  ASSERT_EQ(::symlink("nowhere", (root / "link").c_str()), 0);
  std::filesystem::rename(root / "link", root / "moved");
  EXPECT_THAT(names(), ElementsAre("moved"));
  std::filesystem::remove(root / "moved");
  EXPECT_THAT(names(), ElementsAre());
  EXPECT_EQ(SizeWhenEmpty(dir), size);
  std::filesystem::remove_all(root);
}

TEST(ListingInMemory, BelievesTheSizeOfAnEmptyDirectoryWhichNoOtherHas) {
  std::string pattern = testing::TempDir() + "listingXXXXXX";
  const std::filesystem::path root = ::mkdtemp(pattern.data());
  std::ofstream(root / "made") << "1";
  const Fd dir = *Open(root, O_PATH | O_DIRECTORY);
  EXPECT_EQ(run::List(dir, SizeWhenEmpty(dir)).files.size(), 1u);
  struct stat status {};
  ASSERT_EQ(::fstat(dir.get(), &status), 0);
  if (status.st_nlink == 2) {
    EXPECT_EQ(run::List(dir, static_cast<std::uint64_t>(status.st_size)).files.size(), 0u);
  }
  std::filesystem::remove_all(root);
}

TEST_F(WorkspaceTest, FetchesRegularFilesOnly) {
  Write("plain", "hello");
  ASSERT_EQ(::symlink("/etc/passwd", (root_ / "link").c_str()), 0);
  ASSERT_EQ(::mkfifo((root_ / "fifo").c_str(), 0644), 0);
  ASSERT_EQ(::link((root_ / "plain").c_str(), (root_ / "second").c_str()), 0);
  Write("single", "one");
  EXPECT_EQ(*Fetch(dir_, "single", 10), "one");
  for (const char* name : {"link", "fifo", "second", "missing", "../x", "/etc/passwd"}) {
    EXPECT_FALSE(Fetch(dir_, name, 10)) << name;
  }
}

TEST_F(WorkspaceTest, FetchRefusesMoreThanTheLimitAlsoWhenSparse) {
  Write("big", "12345");
  EXPECT_FALSE(Fetch(dir_, "big", 4));
  std::filesystem::resize_file(root_ / "big", 1LL << 40);
  EXPECT_FALSE(Fetch(dir_, "big", 1 << 20));
}

TEST_F(WorkspaceTest, ListingIsBoundedInDepthAndDoesNotFollowLinks) {
  std::string path;
  for (int i = 0; i < 100; ++i) path += "d/";
  std::filesystem::create_directories(root_ / path);
  ASSERT_EQ(::symlink("/", (root_ / "out").c_str()), 0);
  const auto listing = run::List(dir_);
  EXPECT_TRUE(listing.incomplete);
  EXPECT_EQ(listing.files.size(), 1u);
}

TEST_F(WorkspaceTest, ListingHoldsFewDescriptorsHoweverManyDirectoriesThereAre) {
  for (int i = 0; i < 300; ++i) {
    std::filesystem::create_directories(root_ / ("d" + std::to_string(i)));
  }
  Write("d299/file", "x");
  rlimit limit{};
  ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &limit), 0);
  const rlimit low{200, limit.rlim_max};
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &low), 0);
  const auto listing = run::List(dir_);
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &limit), 0);
  EXPECT_FALSE(listing.incomplete);
  EXPECT_EQ(listing.files.size(), 1u);
}

TEST_F(WorkspaceTest, IllNamedFilesAreLeftOutAndTold) {
  Write("bad\nname", "x");
  const auto listing = run::List(dir_);
  EXPECT_TRUE(listing.incomplete);
  EXPECT_TRUE(listing.files.empty());
}

}  // namespace
}  // namespace belljar::run
