#include "foundation/http/client/connection.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "foundation/http/client/testing.h"

namespace belljar::http::client {
namespace {

using testing::HasSubstr;
using namespace std::chrono_literals;

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

TEST(Connection, SendsABodyThatIsMadeMeanwhileInChunks) {
  std::string heard;
  Listening daemon([&](const Fd& caller) {
    heard = HearUntil(caller, "0\r\n\r\n");
    Say(caller, "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok");
  });
  auto connection = Connection::Open(daemon.address());
  ASSERT_TRUE(connection);
  const auto make = [](const BodySink& sink) -> Result<> {
    BJ_TRY(sink("one"));
    BJ_TRY(sink(""));  // an empty piece must not end the body
    return sink("0123456789abcdef");
  };
  const auto answer = connection->Exchange({.method = "POST", .target = "/x"}, make, {});
  ASSERT_TRUE(answer) << answer.error().message();
  EXPECT_EQ(answer->body, "ok");
  EXPECT_THAT(heard, HasSubstr("Transfer-Encoding: chunked\r\n"));
  EXPECT_THAT(heard, HasSubstr("\r\n\r\n3\r\none\r\n10\r\n0123456789abcdef\r\n0\r\n\r\n"));
}

TEST(Connection, TellsTheRefusalOfABodyThatIsNotWaitedFor) {
  Listening daemon([](const Fd& caller) {
    HearUntil(caller, "\r\n\r\n");
    Say(caller, "HTTP/1.1 400 Bad Request\r\nContent-Length: 2\r\n\r\nno");
    HearUntil(caller, "never");
  });
  auto connection = Connection::Open(daemon.address());
  ASSERT_TRUE(connection);
  const std::string much(1 << 20, 'x');
  const auto make = [&](const BodySink& sink) -> Result<> {
    for (int i = 0; i < 1000; ++i) BJ_TRY(sink(much));
    return {};
  };
  const auto answer = connection->Exchange({.method = "POST", .target = "/x"}, make, {});
  ASSERT_TRUE(answer) << answer.error().message();
  EXPECT_EQ(answer->status, 400U);
}

TEST(Connection, AnUpgradedStreamBeginsBehindTheHead) {
  Listening daemon([](const Fd& caller) {
    const std::string heard = HearUntil(caller, "\r\n\r\n");
    EXPECT_THAT(heard, HasSubstr("Connection: Upgrade\r\nUpgrade: tcp\r\n"));
    Say(caller, "HTTP/1.1 101 UPGRADED\r\nConnection: Upgrade\r\n\r\nfirst bytes");
  });
  auto connection = Connection::Open(daemon.address());
  ASSERT_TRUE(connection);
  auto upgraded =
      connection->Upgrade({.method = "POST", .target = "/attach", .upgrade = "tcp"}, {});
  ASSERT_TRUE(upgraded) << upgraded.error().message();
  ASSERT_TRUE(upgraded->stream);
  ASSERT_TRUE(WaitReadable(upgraded->stream, 5s));
  EXPECT_EQ(HearUntil(upgraded->stream, "bytes"), "first bytes");
}

TEST(Connection, ARefusedUpgradeIsAnAnswer) {
  Listening daemon([](const Fd& caller) {
    HearUntil(caller, "\r\n\r\n");
    Say(caller, "HTTP/1.1 404 Not Found\r\nContent-Length: 4\r\n\r\ngone");
  });
  auto connection = Connection::Open(daemon.address());
  ASSERT_TRUE(connection);
  const auto upgraded = connection->Upgrade({.target = "/attach", .upgrade = "tcp"}, {});
  ASSERT_TRUE(upgraded) << upgraded.error().message();
  EXPECT_FALSE(upgraded->stream);
  EXPECT_EQ(upgraded->answer.status, 404U);
  EXPECT_EQ(upgraded->answer.body, "gone");
}

}  // namespace
}  // namespace belljar::http::client
