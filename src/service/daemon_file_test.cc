#include "service/daemon_file.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>

#include "foundation/base/sys.h"

namespace belljar::service {
namespace {

class DaemonFileTest : public testing::Test {
 protected:
  DaemonFileTest() {
    std::string name = testing::TempDir() + "daemon-file-XXXXXX";
    dir_ = ::mkdtemp(name.data());
  }
  ~DaemonFileTest() override { std::filesystem::remove_all(dir_); }

  Fd Lock() {
    auto lock = Open(DaemonFile(dir_), O_RDWR | O_CREAT, 0600);
    EXPECT_TRUE(lock);
    return *std::move(lock);
  }
  void Write(std::string_view text) {
    const Fd lock = Lock();
    EXPECT_TRUE(::ftruncate(lock.get(), 0) == 0 && WriteAll(lock, text, "lock"));
  }

  std::string dir_;
};

TEST_F(DaemonFileTest, SaysWhoListensAndWhere) {
  EXPECT_FALSE(FindDaemon(dir_));
  const Fd lock = Lock();
  EXPECT_FALSE(FindDaemon(dir_));  // the daemon has not written its address yet
  ASSERT_TRUE(NoteDaemon(lock, {"127.0.0.1:7070", "unix:/run/a b.sock", "unix:/run/c.sock"}));
  EXPECT_EQ(FindDaemon(dir_), (DaemonAddress{::getpid(), "unix:/run/a b.sock"}));
}

TEST_F(DaemonFileTest, OfALaterDaemonReplacesTheEarlierOne) {
  const Fd lock = Lock();
  ASSERT_TRUE(NoteDaemon(lock, {"unix:/run/a-very-long-name-of-a-socket.sock"}));
  ASSERT_TRUE(NoteDaemon(lock, {"unix:/run/b"}));
  EXPECT_EQ(FindDaemon(dir_)->address, "unix:/run/b");
  ASSERT_TRUE(NoteDaemon(lock, {"127.0.0.1:7070"}));
  EXPECT_FALSE(FindDaemon(dir_));
}

TEST_F(DaemonFileTest, MakesRelativePathsAbsolute) {
  ASSERT_TRUE(NoteDaemon(Lock(), {"unix:here.sock"}));
  EXPECT_EQ(FindDaemon(dir_)->address,
            "unix:" + std::filesystem::current_path().string() + "/here.sock");
}

TEST_F(DaemonFileTest, ThatCannotBeReadIsNoDaemon) {
  for (const char* text : {"", "\n", "12\n", "12 unix:/a", "x unix:/a\n", "-1 unix:/a\n",
                           "0 unix:/a\n", "12 unix:a\n", "12 tcp:/a\n", "99999999999 unix:/a\n"}) {
    Write(text);
    EXPECT_FALSE(FindDaemon(dir_)) << text;
  }
  Write("12 unix:/" + std::string(1000, 'a') + "\n");
  EXPECT_FALSE(FindDaemon(dir_));
}

TEST_F(DaemonFileTest, IsNotFollowedElsewhere) {
  Write("12 unix:/a\n");
  ASSERT_TRUE(FindDaemon(dir_));
  std::filesystem::rename(DaemonFile(dir_), dir_ + "/real");
  std::filesystem::create_symlink("real", DaemonFile(dir_));
  EXPECT_FALSE(FindDaemon(dir_));
}

}  // namespace
}  // namespace belljar::service
