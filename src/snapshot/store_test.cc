#include "snapshot/store.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "snapshot/scratch.h"

namespace belljar::snapshot {
namespace {

// One of everything that a snapshot carries.
class ExactTest : public StoreTest {
 protected:
  ExactTest() {
    std::filesystem::create_directories(path("deep/er/empty"));
    Write("plain", "content");
    Write("deep/er/file", std::string(300'000, 'x'));
    Write("nothing", "");
    Write("closed", "secret");
    ::chmod(path("closed").c_str(), 0400);
    ::chmod(path("deep/er").c_str(), 01775);
    std::filesystem::create_symlink("/etc/passwd", path("outside"));
    std::filesystem::create_symlink("deep", path("inside"));
    std::filesystem::create_hard_link(path("plain"), path("deep/second name"));
    Write(kHostileName, "named");
    ::setxattr(path("plain").c_str(), "user.note", "a\0b", 3, 0);
    ::setxattr(path("deep").c_str(), "user.dir", "d", 1, 0);
    MakeSparse();
    for (const char* name : {"outside", "plain", "deep/er/empty", "deep/er", "deep"}) {
      SetTime(name, 1'000'000'000, 123'456'789);
    }
    SetTime("nothing", -5, 999'999'999);
    SetTime("", 1'500'000'000, 1);
  }

  void MakeSparse() {
    Write("sparse", "");
    ASSERT_EQ(::truncate(path("sparse").c_str(), off_t{1} << 40), 0);
    const auto file = Open(path("sparse"), O_WRONLY);
    ASSERT_TRUE(file);
    ASSERT_EQ(::pwrite(file->get(), "data", 4, 8192), 4);
    ASSERT_EQ(::pwrite(file->get(), "more", 4, off_t{1} << 39), 4);
  }

  // Nothing is left as it was.
  void Wreck() {
    std::filesystem::remove_all(path("deep"));
    std::filesystem::remove(path("outside"));
    std::filesystem::create_directories(path("outside/now/a/tree"));
    Write("plain", "CONTENT");
    Write("deep", "now a file");
    ::chmod(path("closed").c_str(), 04777);
    ::truncate(path("sparse").c_str(), 5);
    ::mkfifo(path("pipe").c_str(), 0600);
    std::filesystem::create_hard_link(path("plain"), path("third name"));
    std::filesystem::remove(path("nothing"));
    std::filesystem::create_hard_link(path("plain"), path("nothing"));
    ::setxattr(path("plain").c_str(), "user.other", "x", 1, 0);
    ::chmod(path().c_str(), 0700);
  }

  static constexpr const char* kHostileName = "\xff\xfe\n\x1b[2J ..\\'\"%s";
};

TEST_F(ExactTest, ATreeThatWasWreckedComesBackBitForBit) {
  const auto before = Describe(path());
  const std::string id = TakeId();
  EXPECT_EQ(Describe(path()), before) << "taking a snapshot leaves no trace";
  Wreck();
  ASSERT_NE(Describe(path()), before);
  const auto restored = Restore(id);
  ASSERT_TRUE(restored) << restored.error().message();
  EXPECT_EQ(Describe(path()), before);
  EXPECT_EQ(TakeId(), id);
}

TEST_F(ExactTest, AnEmptyWorkspaceBecomesEqual) {
  const auto before = Describe(path());
  const std::string id = TakeId();
  std::filesystem::create_directory(dir_ + "/other");
  const Fd other = OpenWorkspace(dir_ + "/other");
  Memory memory;
  const auto restored = store_->Restore(id, other, memory, Owner{::geteuid(), ::getegid()});
  ASSERT_TRUE(restored) << restored.error().message();
  EXPECT_EQ(Describe(dir_ + "/other"), before);
}

}  // namespace
}  // namespace belljar::snapshot
