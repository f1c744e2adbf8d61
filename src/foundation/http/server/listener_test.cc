#include "foundation/http/server/listener.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <fstream>

#include "foundation/http/server/testing.h"

namespace belljar::http::server {
namespace {

using testing::HasSubstr;

mode_t ModeOf(const std::string& path) {
  struct stat status {};
  EXPECT_EQ(::lstat(path.c_str(), &status), 0) << path;
  return status.st_mode;
}

TEST(HttpListener, MakesASocketForOwnerAndGroupOnly) {
  TemporaryDirectory directory;
  for (const mode_t mask : {mode_t{0}, mode_t{022}, mode_t{077}}) {
    const mode_t before = ::umask(mask);
    const auto listener = Listener::Open("unix:" + directory / "s", {});
    ::umask(before);
    ASSERT_TRUE(listener);
    EXPECT_EQ(ModeOf(directory / "s"), static_cast<mode_t>(S_IFSOCK | 0660));
  }
  EXPECT_FALSE(std::filesystem::exists(directory / "s")) << "removed at the end";
}

TEST(HttpListener, ReplacesTheSocketOfADeadServer) {
  TemporaryDirectory directory;
  const std::string path = directory / "s";
  {
    const Fd dead(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
    sockaddr_un where{};
    where.sun_family = AF_UNIX;
    path.copy(where.sun_path, sizeof(where.sun_path) - 1);
    ASSERT_EQ(::bind(dead.get(), reinterpret_cast<sockaddr*>(&where), sizeof(where)), 0);
  }
  ASSERT_TRUE(std::filesystem::exists(path));
  EXPECT_TRUE(Listener::Open("unix:" + path, {}));
}

TEST(HttpListener, RefusesTheSocketOfALivingServer) {
  TemporaryDirectory directory;
  const auto living = Listener::Open("unix:" + directory / "s", {});
  ASSERT_TRUE(living);
  const auto second = Listener::Open("unix:" + directory / "s", {});
  ASSERT_FALSE(second);
  EXPECT_EQ(second.error().kind(), Kind::kUnavailable);
  EXPECT_EQ(second.error().message(), "listen: another server is listening on " + directory / "s");
  EXPECT_TRUE(std::filesystem::exists(directory / "s"));
}

TEST(HttpListener, LeavesAFileThatIsNotASocketAlone) {
  TemporaryDirectory directory;
  std::ofstream(directory / "s") << "precious";
  const auto listener = Listener::Open("unix:" + directory / "s", {});
  ASSERT_FALSE(listener);
  EXPECT_THAT(listener.error().message(), HasSubstr("exists and is not a socket"));
  EXPECT_TRUE(std::filesystem::exists(directory / "s"));
}

TEST(HttpListener, DoesNotRemoveASuccessorsSocket) {
  TemporaryDirectory directory;
  auto first = Listener::Open("unix:" + directory / "s", {});
  ASSERT_TRUE(first);
  std::filesystem::rename(directory / "s", directory / "aside");
  const auto second = Listener::Open("unix:" + directory / "s", {});
  ASSERT_TRUE(second);
  first->Close();
  EXPECT_TRUE(std::filesystem::exists(directory / "s"));
}

TEST(HttpListener, RefusesADirectoryThatStrangersCanWriteTo) {
  TemporaryDirectory directory;
  std::filesystem::create_directory(directory / "open");
  ASSERT_EQ(::chmod((directory / "open").c_str(), 0777), 0);
  const auto listener = Listener::Open("unix:" + directory / "open/s", {});
  ASSERT_FALSE(listener);
  EXPECT_EQ(listener.error().kind(), Kind::kDenied);
  ASSERT_EQ(::chmod((directory / "open").c_str(), 0755), 0);
  EXPECT_TRUE(Listener::Open("unix:" + directory / "open/s", {}));
}

TEST(HttpListener, SaysWhatIsWrongWithAnAddress) {
  TemporaryDirectory directory;
  EXPECT_FALSE(Listener::Open("unix:" + directory / std::string(200, 'a'), {}));
  EXPECT_FALSE(Listener::Open("unix:" + directory / "missing/s", {}));
  for (const char* address : {"", "unix:", "localhost", ":80", "127.0.0.1:", "::1:80",
                              "127.0.0.1:x", "127.0.0.1:70000"}) {
    EXPECT_FALSE(Listener::Open(address, {})) << address;
  }
}

TEST(HttpListener, TellsThePortItGot) {
  const auto listener = Listener::Open("127.0.0.1:0", {});
  ASSERT_TRUE(listener);
  EXPECT_THAT(listener->address(), testing::MatchesRegex("127\\.0\\.0\\.1:[1-9][0-9]+"));
}

TEST(HttpListener, StaysOnLoopbackUnlessToldWhy) {
  for (const char* address : {"0.0.0.0:0", "[::]:0"}) {
    const auto listener = Listener::Open(address, {});
    ASSERT_FALSE(listener) << address;
    EXPECT_THAT(listener.error().message(), HasSubstr("can be reached from other machines"));
  }
  ListenOptions open;
  open.non_loopback = UnsafeNonLoopback{"the test"};
  EXPECT_TRUE(Listener::Open("0.0.0.0:0", open));
}

}  // namespace
}  // namespace belljar::http::server
