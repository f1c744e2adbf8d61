#include "run/session/mirror.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <thread>

#include "foundation/base/sys.h"

namespace belljar::run {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::IsEmpty;

class MirrorTest : public testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = testing::TempDir() + "mirrorXXXXXX";
    top_ = ::mkdtemp(pattern.data());
    fs::create_directory(top_ / "work");
    fs::create_directory(top_ / "root");
    work_ = *Open(top_ / "work", O_PATH | O_DIRECTORY);
    root_ = *Open(top_ / "root", O_RDONLY | O_DIRECTORY);
  }
  void TearDown() override { fs::remove_all(top_); }

  void Write(const std::string& name, const std::string& text) {
    const fs::path path = top_ / "work" / name;
    fs::create_directories(path.parent_path());
    std::ofstream(path) << text;
  }
  // "path=content" of every file in the mirror.
  std::vector<std::string> Kept() {
    std::vector<std::string> all;
    const auto tree = OpenMirror(root_, "s-1");
    for (const auto& [path, state] : run::List(*tree).files) {
      all.push_back(path + "=" + *Fetch(*tree, path, 1 << 20));
    }
    return all;
  }
  std::int64_t InodeOf(const std::string& name) {
    struct stat status {};
    EXPECT_EQ(::stat((top_ / "root/s-1/tree" / name).c_str(), &status), 0);
    return static_cast<std::int64_t>(status.st_ino);
  }
  // Waits longer than a timestamp tick.
  static void LetTimePass() { std::this_thread::sleep_for(std::chrono::milliseconds(60)); }

  fs::path top_;
  Fd work_, root_;
  Mirror mirror_{root_, "s-1", MirrorBounds()};
};

TEST_F(MirrorTest, FollowsWhatIsCreatedChangedAndDeleted) {
  Write("a", "1");
  Write("d/e/b", "2");
  EXPECT_TRUE(mirror_.Update(work_));
  EXPECT_THAT(Kept(), ElementsAre("a=1", "d/e/b=2"));
  Write("a", "one");
  fs::remove_all(top_ / "work/d");
  const auto updated = mirror_.Update(work_);
  ASSERT_TRUE(updated) << updated.error().message();
  EXPECT_EQ(*updated, (Mirrored{1, 3, 0}));
  EXPECT_THAT(Kept(), ElementsAre("a=one"));
  EXPECT_FALSE(fs::exists(top_ / "root/s-1/tree/d"));
}

TEST_F(MirrorTest, AnEmptyWorkspaceLeavesNothingOnDisk) {
  EXPECT_TRUE(mirror_.Update(work_));
  EXPECT_TRUE(fs::is_empty(top_ / "root"));
}

TEST_F(MirrorTest, GoesByWhatSomebodyElseHasSeen) {
  Write("a", "1");
  const auto seen = run::List(work_);
  Write("a", "2");  // may get the same timestamp
  Write("b", "later");
  LetTimePass();
  ASSERT_TRUE(mirror_.Update(work_, seen));
  EXPECT_THAT(Kept(), ElementsAre("a=2"));
  ASSERT_TRUE(mirror_.Update(work_));
  EXPECT_THAT(Kept(), ElementsAre("a=2", "b=later"));
}

TEST_F(MirrorTest, CopiesAFileOnceAndOnlyWhatChanged) {
  Write("still", "1");
  Write("busy", "1");
  LetTimePass();
  ASSERT_TRUE(mirror_.Update(work_));
  const auto still = InodeOf("still"), busy = InodeOf("busy");
  Write("busy", "2");
  LetTimePass();
  ASSERT_TRUE(mirror_.Update(work_));
  EXPECT_EQ(InodeOf("still"), still);
  EXPECT_NE(InodeOf("busy"), busy);
}

TEST_F(MirrorTest, NoticesTwoChangesWithinOneTickOfTheClock) {
  for (int i = 0; i < 200; ++i) {
    const std::string text(1, static_cast<char>('a' + i % 26));
    Write("f", text);
    ASSERT_TRUE(mirror_.Update(work_));
    ASSERT_THAT(Kept(), ElementsAre("f=" + text));
  }
}

TEST_F(MirrorTest, AFileTakesThePlaceOfADirectoryAndBack) {
  Write("x/y/z", "1");
  ASSERT_TRUE(mirror_.Update(work_));
  fs::remove_all(top_ / "work/x");
  Write("x", "2");
  ASSERT_TRUE(mirror_.Update(work_));
  EXPECT_THAT(Kept(), ElementsAre("x=2"));
  fs::remove(top_ / "work/x");
  Write("x/y", "3");
  ASSERT_TRUE(mirror_.Update(work_));
  EXPECT_THAT(Kept(), ElementsAre("x/y=3"));
}

TEST_F(MirrorTest, LinksFifosAndSecondNamesAreLeftOut) {
  Write("good", "1");
  ASSERT_EQ(::symlink("/etc/passwd", (top_ / "work/link").c_str()), 0);
  ASSERT_EQ(::mkfifo((top_ / "work/fifo").c_str(), 0600), 0);
  Write("two", "2");
  fs::create_hard_link(top_ / "work/two", top_ / "work/too");
  const auto updated = mirror_.Update(work_);
  ASSERT_TRUE(updated);
  EXPECT_EQ(*updated, (Mirrored{1, 1, 4}));
  EXPECT_THAT(Kept(), ElementsAre("good=1"));
}

TEST_F(MirrorTest, AFileThatBecomesALinkIsNoLongerKept) {
  Write("f", "mine");
  ASSERT_TRUE(mirror_.Update(work_));
  fs::remove(top_ / "work/f");
  ASSERT_EQ(::symlink("/etc/passwd", (top_ / "work/f").c_str()), 0);
  ASSERT_TRUE(mirror_.Update(work_));
  EXPECT_THAT(Kept(), IsEmpty());
}

TEST_F(MirrorTest, BytesAndFilesAreBoundedAndASparseFileCostsNothing) {
  Mirror small(root_, "s-1", MirrorBounds{2, 10});
  Write("a", "12345");
  Write("b", "");
  fs::resize_file(top_ / "work/b", 1ULL << 40);
  Write("c", "12345");
  Write("d", "1");
  const auto updated = small.Update(work_);
  ASSERT_TRUE(updated) << updated.error().message();
  EXPECT_EQ(*updated, (Mirrored{2, 10, 2}));
  EXPECT_THAT(Kept(), ElementsAre("a=12345", "c=12345"));
}

TEST_F(MirrorTest, GoesOnAfterAFailure) {
  Write("a", "1");
  ASSERT_TRUE(mirror_.Update(work_));
  fs::remove_all(top_ / "root/s-1");
  std::ofstream(top_ / "root/s-1") << "in the way";
  Write("b", "2");
  EXPECT_FALSE(mirror_.Update(work_));
  fs::remove(top_ / "root/s-1");
  ASSERT_TRUE(mirror_.Update(work_));
  EXPECT_THAT(Kept(), ElementsAre("a=1", "b=2"));
}

TEST_F(MirrorTest, ACopyThatWasCutShortIsNotInTheWay) {
  Write("a", "1");
  ASSERT_TRUE(mirror_.Update(work_));
  std::ofstream(top_ / "root/s-1/part") << "half";
  Write("a", "22");
  ASSERT_TRUE(mirror_.Update(work_));
  EXPECT_THAT(Kept(), ElementsAre("a=22"));
}

TEST_F(MirrorTest, RemovedItStaysAway) {
  Write("a", "1");
  ASSERT_TRUE(mirror_.Update(work_));
  ASSERT_TRUE(mirror_.Remove());
  Write("b", "1");
  EXPECT_TRUE(mirror_.Update(work_));
  EXPECT_TRUE(fs::is_empty(top_ / "root"));
  EXPECT_TRUE(RemoveMirror(root_, "s-1"));
}

}  // namespace
}  // namespace belljar::run
