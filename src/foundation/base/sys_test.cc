#include "foundation/base/sys.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>

namespace belljar {
namespace {

class BeneathTest : public testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = testing::TempDir() + "beneathXXXXXX";
    root_ = ::mkdtemp(pattern.data());
    auto dir = Open(root_, O_PATH | O_DIRECTORY);
    ASSERT_TRUE(dir);
    dir_ = *std::move(dir);
  }
  void TearDown() override { std::filesystem::remove_all(root_); }

  std::string root_;
  Fd dir_;
};

TEST_F(BeneathTest, OpensWhatLiesBelow) {
  ASSERT_TRUE(MakeDirsBeneath(dir_, "a/b", 0755));
  const auto file = OpenBeneath(dir_, "a/b/c", O_WRONLY | O_CREAT, 0600);
  ASSERT_TRUE(file) << file.error().message();
}

TEST_F(BeneathTest, RefusesEveryWayOut) {
  ASSERT_EQ(::symlinkat("/etc", dir_.get(), "link"), 0);
  for (const char* path : {"../x", "/etc/passwd", "link/passwd", "link", "a/../../x"}) {
    EXPECT_FALSE(OpenBeneath(dir_, path, O_RDONLY)) << path;
  }
  EXPECT_FALSE(OpenBeneath(dir_, std::string("a\0b", 3), O_RDONLY));
  EXPECT_FALSE(MakeDirsBeneath(dir_, "link/new", 0755));
  EXPECT_FALSE(MakeDirsBeneath(dir_, "../new", 0755));
}

TEST(Sys, ReadAllRefusesMoreThanTheCap) {
  auto ends = MakePipe();
  ASSERT_TRUE(ends);
  ASSERT_TRUE(WriteAll(ends->write, "12345", "pipe"));
  ends->write.Close();
  const auto text = ReadAll(ends->read, 4, "the pipe");
  ASSERT_FALSE(text);
  EXPECT_EQ(text.error().message(), "the pipe is larger than 4 bytes");
}

TEST(Sys, DescriptorsTravelWithAMessage) {
  auto ends = MakeSocketPair(SOCK_SEQPACKET);
  ASSERT_TRUE(ends);
  auto pipe = MakePipe();
  ASSERT_TRUE(pipe);
  const std::byte message[] = {std::byte{7}};
  const int fds[] = {pipe->write.get()};
  ASSERT_TRUE(SendWithFds(ends->ours, message, fds));
  auto received = ReceiveWithFds(ends->theirs, 16, 4);
  ASSERT_TRUE(received);
  EXPECT_EQ(received->bytes, "\x07");
  ASSERT_EQ(received->fds.size(), 1u);
  EXPECT_TRUE(WriteAll(received->fds[0], "x", "pipe"));
}

TEST(Sys, RefusesSurplusDescriptors) {
  auto ends = MakeSocketPair(SOCK_SEQPACKET);
  ASSERT_TRUE(ends);
  const std::byte message[] = {std::byte{7}};
  const int fds[] = {0, 1, 2, 0};
  ASSERT_TRUE(SendWithFds(ends->ours, message, fds));
  EXPECT_FALSE(ReceiveWithFds(ends->theirs, 16, 1));
}

}  // namespace
}  // namespace belljar
