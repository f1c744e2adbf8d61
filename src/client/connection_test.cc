#include "client/connection.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <array>
#include <filesystem>
#include <functional>
#include <thread>

#include "base/sys.h"

namespace belljar::client {
namespace {

using testing::HasSubstr;
using namespace std::chrono_literals;

// Listens, and lets `serve` speak to one caller after the other.
class Listening {
 public:
  using Serve = std::function<void(const Fd&)>;

  explicit Listening(Serve serve = {}) : serve_(std::move(serve)) {
    std::string name = testing::TempDir() + "client-XXXXXX";
    dir_ = ::mkdtemp(name.data());
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    path().copy(address.sun_path, sizeof(address.sun_path) - 1);
    socket_ = Fd(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
    EXPECT_EQ(::bind(socket_.get(), reinterpret_cast<sockaddr*>(&address), sizeof(address)), 0);
    EXPECT_EQ(::listen(socket_.get(), 1), 0);
    if (serve_) thread_ = std::jthread([this] { Work(); });
  }
  ~Listening() {
    ::shutdown(socket_.get(), SHUT_RDWR);
    if (thread_.joinable()) thread_.join();
    std::filesystem::remove_all(dir_);
  }

  std::string path() const { return dir_ + "/s"; }
  std::string address() const { return "unix:" + path(); }

 private:
  void Work() {
    for (;;) {
      const Fd caller(::accept4(socket_.get(), nullptr, nullptr, SOCK_CLOEXEC));
      if (!caller) return;
      serve_(caller);
    }
  }

  Serve serve_;
  std::string dir_;
  Fd socket_;
  std::jthread thread_;
};

// What the caller sends, until `end` is in it or it stops.
std::string HearUntil(const Fd& caller, std::string_view end) {
  std::string heard;
  std::array<char, 4096> piece;
  while (heard.find(end) == std::string::npos) {
    const ssize_t n = ::read(caller.get(), piece.data(), piece.size());
    if (n <= 0) break;
    heard.append(piece.data(), static_cast<std::size_t>(n));
  }
  return heard;
}

void Say(const Fd& caller, std::string_view text) {
  EXPECT_TRUE(WriteAll(caller, text, "the answer"));
}

TEST(Connection, AsksAndGetsTheAnswer) {
  std::string heard;
  Listening daemon([&](const Fd& caller) {
    heard = HearUntil(caller, "the body");
    Say(caller, "HTTP/1.1 201 Created\r\nContent-Length: 2\r\n\r\nok");
  });
  auto connection = Connection::Open(daemon.address());
  ASSERT_TRUE(connection) << connection.error().message();
  EXPECT_EQ(connection->listener_pid(), ::getpid());
  const auto answer =
      connection->Exchange({"POST", "/v1/x", "text/plain", "text/csv", "the body"}, {});
  ASSERT_TRUE(answer) << answer.error().message();
  EXPECT_EQ(answer->status, 201U);
  EXPECT_EQ(answer->body, "ok");
  EXPECT_EQ(heard,
            "POST /v1/x HTTP/1.1\r\nHost: localhost\r\nAccept: text/plain\r\nContent-Length: 8\r\n"
            "Content-Type: text/csv\r\n\r\nthe body");
}

TEST(Connection, SaysWhenNobodyListens) {
  std::string address;
  {
    const Listening daemon;
    address = daemon.address();
  }
  const auto connection = Connection::Open(address);
  ASSERT_FALSE(connection);
  EXPECT_EQ(connection.error().kind(), Kind::kNotFound);
  EXPECT_EQ(connection.error().message(),
            "no daemon listens on " + address + ": start one with belljar serve");
}

TEST(Connection, DoesNotWaitForADaemonThatDoesNotAccept) {
  const Listening daemon;
  std::vector<Connection> others;
  for (int i = 0; i < 10; ++i) {
    auto connection = Connection::Open(daemon.address());
    if (!connection) {
      EXPECT_EQ(connection.error().kind(), Kind::kUnavailable);
      return;
    }
    others.push_back(*std::move(connection));
  }
  FAIL() << "there was room for all";
}

TEST(Connection, RefusesAddressesThatAreNone) {
  for (const std::string& address :
       {std::string("/run/x"), std::string("unix:"), "unix:/" + std::string(200, 'x'),
        std::string("127.0.0.1:80")}) {
    const auto connection = Connection::Open(address);
    ASSERT_FALSE(connection) << address;
    EXPECT_EQ(connection.error().kind(), Kind::kInvalid);
  }
}

TEST(Connection, TellsOfADaemonThatGoesAwayInTheMiddle) {
  Listening daemon([&](const Fd& caller) {
    HearUntil(caller, "\r\n\r\n");
    Say(caller, "HTTP/1.1 200 OK\r\nContent-Length: 20\r\n\r\nhalf");
  });
  auto connection = Connection::Open(daemon.address());
  ASSERT_TRUE(connection);
  const auto answer = connection->Exchange({"GET", "/"}, {});
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().kind(), Kind::kUnavailable);
  EXPECT_THAT(answer.error().message(), HasSubstr("went away"));
}

TEST(Connection, DoesNotWaitForEverForADaemonThatIsSilent) {
  Listening daemon([&](const Fd& caller) { HearUntil(caller, "never"); });
  auto connection = Connection::Open(daemon.address());
  ASSERT_TRUE(connection);
  const auto answer = connection->Exchange({"GET", "/"}, {100, 50ms});
  ASSERT_FALSE(answer);
  EXPECT_THAT(answer.error().message(), HasSubstr("has said nothing"));
}

TEST(Connection, BoundsAnAnswer) {
  Listening daemon([&](const Fd& caller) {
    HearUntil(caller, "\r\n\r\n");
    Say(caller, "HTTP/1.1 200 OK\r\nContent-Length: 101\r\n\r\n" + std::string(101, 'x'));
  });
  auto connection = Connection::Open(daemon.address());
  ASSERT_TRUE(connection);
  const auto answer = connection->Exchange({"GET", "/"}, {100, 5s});
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().kind(), Kind::kExhausted);
}

TEST(Connection, HearsARefusalThatDoesNotWaitForTheBody) {
  Listening daemon([&](const Fd& caller) {
    HearUntil(caller, "\r\n\r\n");
    Say(caller, "HTTP/1.1 413 Too Large\r\nContent-Length: 2\r\n\r\nno");
    ::shutdown(caller.get(), SHUT_WR);
    HearUntil(caller, "never");
  });
  auto connection = Connection::Open(daemon.address());
  ASSERT_TRUE(connection);
  const auto answer = connection->Exchange(
      {"POST", "/", "text/plain", "text/plain", std::string(8 << 20, 'x')}, {});
  ASSERT_TRUE(answer) << answer.error().message();
  EXPECT_EQ(answer->status, 413U);
}

TEST(ErrorOf, IsTheDaemonsOwnSentence) {
  const Error error = ErrorOf(Answer{404, R"({"error":{"kind":"not_found","message":"no x"}})"});
  EXPECT_EQ(error.message(), "no x");
  EXPECT_EQ(error.kind(), Kind::kNotFound);
  for (const char* body : {"", "<html>", "[]", R"({"error":"x"})", R"({"error":{"kind":1}})"}) {
    const Error strange = ErrorOf(Answer{418, body});
    EXPECT_EQ(strange.kind(), Kind::kInternal);
    EXPECT_THAT(strange.message(), HasSubstr("418"));
  }
}

TEST(Escape, LeavesNothingThatCouldEndASegment) {
  EXPECT_EQ(EscapeSegment("a-b_c.d~1"), "a-b_c.d~1");
  EXPECT_EQ(EscapeSegment("a/b c?d#e%\r\n"), "a%2Fb%20c%3Fd%23e%25%0D%0A");
  EXPECT_EQ(EscapePath("data/é.csv"), "data/%C3%A9.csv");
}

}  // namespace
}  // namespace belljar::client
