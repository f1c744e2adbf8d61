#include "foundation/storage/state_dir.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <fstream>

#include "foundation/storage/scratch.h"

namespace belljar::storage {
namespace {

mode_t StateMode(const std::string& path) {
  struct stat info {};
  EXPECT_EQ(::stat(path.c_str(), &info), 0) << path;
  return info.st_mode & 07777;
}

TEST(StateDir, IsMadeForItsOwnerOnly) {
  const ScratchDir scratch;
  const mode_t before = ::umask(0);
  const auto opened = OpenStateDatabase(scratch.path("a/state"));
  ::umask(before);
  ASSERT_TRUE(opened) << opened.error().message();
  EXPECT_EQ(StateMode(scratch.path("a/state")), 0700U);
  EXPECT_EQ(StateMode(scratch.path("a/state/belljar.db")), 0600U);
}

TEST(StateDir, ComesBackAbsoluteAndClean) {
  const ScratchDir scratch;
  EXPECT_EQ(*PrepareStateDir(scratch.path("x/../state//")), scratch.path("state"));
  EXPECT_EQ(*PrepareStateDir(scratch.path("state")), scratch.path("state")) << "again";
}

TEST(StateDir, IsRefusedWhenOthersCanWriteToIt) {
  const ScratchDir scratch;
  const std::string dir = *PrepareStateDir(scratch.path("state"));
  for (const mode_t mode : {0770U, 0702U, 01777U}) {
    ASSERT_EQ(::chmod(dir.c_str(), mode), 0);
    EXPECT_EQ(PrepareStateDir(dir).error().kind(), Kind::kDenied);
    EXPECT_EQ(StateMode(dir), mode) << "and left as it was";
  }
  ASSERT_EQ(::chmod(dir.c_str(), 0755), 0);
  EXPECT_TRUE(PrepareStateDir(dir));
}

TEST(StateDir, IsNamedWhenItCannotBeMade) {
  const ScratchDir scratch;
  std::ofstream(scratch.path("file")) << "x";
  EXPECT_THAT(PrepareStateDir(scratch.path("file")).error().message(),
              testing::HasSubstr("file is not a directory"));
  EXPECT_FALSE(PrepareStateDir(scratch.path("file/below")));
  EXPECT_FALSE(PrepareStateDir(""));
}

}  // namespace
}  // namespace belljar::storage
