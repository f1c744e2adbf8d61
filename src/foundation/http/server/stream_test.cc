// Streams in both directions, clients that leave, and the end of the server.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <latch>
#include <thread>

#include "foundation/http/server/testing.h"

namespace belljar::http::server {
namespace {

using std::chrono::milliseconds;
using testing::HasSubstr;
using Clock = std::chrono::steady_clock;

Options WithRoute(const char* method, Handler handler, BodyKind body = BodyKind::kWhole) {
  Options options = EchoOptions();
  EXPECT_TRUE(options.router.Add(method, "/it",
                                 {.scope = kOpen,
                                  .handler = std::move(handler),
                                  .body_limit = std::size_t{64} << 20,
                                  .body = body}));
  return options;
}

Handler Events(StreamKind kind) {
  return [kind](Exchange exchange) {
    EXPECT_TRUE(exchange.BeginStream(kind));
    EXPECT_TRUE(exchange.Write("{\"n\":1}"));
    EXPECT_TRUE(exchange.Write("{\"n\":2}"));
    exchange.EndStream();
  };
}

TEST(HttpStream, WritesLinesOfJson) {
  TestServer server(WithRoute("GET", Events(StreamKind::kNdjson)));
  Client client = server.Connect();
  const Answer answer = client.Ask(Get("/it"));
  EXPECT_THAT(answer.head, HasSubstr("Content-Type: application/x-ndjson\r\n"));
  EXPECT_EQ(answer.body, "{\"n\":1}\n{\"n\":2}\n");
  EXPECT_EQ(client.Ask(Get("/hello")).body, "hello") << "the connection goes on";
}

TEST(HttpStream, WritesServerSentEvents) {
  TestServer server(WithRoute("GET", Events(StreamKind::kSse)));
  const Answer answer = server.Connect().Ask(Get("/it"));
  EXPECT_THAT(answer.head, HasSubstr("Content-Type: text/event-stream\r\n"));
  EXPECT_EQ(answer.body, "data: {\"n\":1}\n\ndata: {\"n\":2}\n\n");
}

TEST(HttpStream, RefusesAnEventThatWouldBeTwo) {
  std::atomic<bool> refused{false};
  TestServer server(WithRoute("GET", [&](Exchange exchange) {
    EXPECT_TRUE(exchange.BeginStream(StreamKind::kNdjson));
    refused = !exchange.Write("{}\n{}");
    exchange.EndStream();
  }));
  EXPECT_EQ(server.Connect().Ask(Get("/it")).body, "");
  EXPECT_TRUE(refused);
}

TEST(HttpStream, SendsEachEventWhenItIsWritten) {
  std::latch second(1);
  TestServer server(WithRoute("GET", [&](Exchange exchange) {
    EXPECT_TRUE(exchange.BeginStream(StreamKind::kNdjson));
    EXPECT_TRUE(exchange.Write("1"));
    second.wait();
    EXPECT_TRUE(exchange.Write("2"));
    exchange.EndStream();
  }));
  Client client = server.Connect();
  client.Say(Get("/it"));
  EXPECT_THAT(client.HearUntil("1\n"), HasSubstr("1\n"));
  second.count_down();
  EXPECT_THAT(client.HearUntil("0\r\n\r\n"), HasSubstr("2\n"));
}

TEST(HttpStream, AStreamThatIsNotEndedIsSeenToBeCut) {
  TestServer server(WithRoute("GET", [](Exchange exchange) {
    EXPECT_TRUE(exchange.BeginStream(StreamKind::kNdjson));
    EXPECT_TRUE(exchange.Write("1"));
    throw std::runtime_error("in the middle");
  }));
  EXPECT_THAT(server.Connect().Ask(Get("/it")).body, HasSubstr("<cut>"));
}

TEST(HttpStream, WaitsForASlowReaderAndLosesNothing) {
  constexpr std::size_t kPieces = 200;
  const std::string piece(64 << 10, 'x');
  TestServer server(WithRoute("GET", [&](Exchange exchange) {
    EXPECT_TRUE(exchange.BeginStream(StreamHead{StreamKind::kBytes, 200, "application/x-tar", {}}));
    for (std::size_t i = 0; i < kPieces; ++i) EXPECT_TRUE(exchange.Write(piece));
    exchange.EndStream();
  }));
  Client client = server.Connect();
  client.Say(Get("/it"));
  std::this_thread::sleep_for(milliseconds(50));
  const Answer answer = client.Hear().value_or(Answer{});
  EXPECT_THAT(answer.head, HasSubstr("Content-Type: application/x-tar\r\n"));
  EXPECT_EQ(answer.body.size(), kPieces * piece.size());
}

TEST(HttpStream, HoldsNoMoreThanItsBufferForAReaderThatStopped) {
  std::atomic<std::size_t> written{0};
  Options options = WithRoute("GET", [&](Exchange exchange) {
    EXPECT_TRUE(exchange.BeginStream(StreamHead{StreamKind::kBytes, 200, "", {}}));
    const std::string piece(64 << 10, 'x');
    while (exchange.Write(piece)) written += piece.size();
  });
  options.limits.write_grace = milliseconds(200);
  options.limits.least_bytes_per_second = 1 << 30;
  TestServer server(std::move(options));
  Client client = server.Connect();
  client.Say(Get("/it"));
  ASSERT_TRUE(Eventually([&] { return written > 0; }));
  EXPECT_TRUE(Eventually([&] { return server->stats().connections == 0; })) << "it is dropped";
  EXPECT_LT(written, std::size_t{4} << 20);
}

TEST(HttpStream, TryWriteSaysWhenTheClientDoesNotKeepUp) {
  std::latch told(1);
  TestServer server(WithRoute("GET", [&](Exchange exchange) {
    EXPECT_TRUE(exchange.BeginStream(StreamHead{StreamKind::kBytes, 200, "", {}}));
    const std::string piece(64 << 10, 'x');
    Result<> last = exchange.TryWrite(piece);
    for (int i = 0; i < 1000 && last; ++i) last = exchange.TryWrite(piece);
    EXPECT_TRUE(!last && last.error().kind() == Kind::kExhausted);
    told.count_down();
  }));
  Client client = server.Connect();
  client.Say(Get("/it"));
  told.wait();
}

TEST(HttpClientGone, ADescriptorTellsTheHandler) {
  std::latch began(1);
  std::latch noticed(1);
  TestServer server(WithRoute("GET", [&](Exchange exchange) {
    const Result<int> gone = exchange.client_gone();
    ASSERT_TRUE(gone);
    Fd copy(::dup(*gone));
    EXPECT_FALSE(*WaitReadable(copy, milliseconds(0)));
    began.count_down();
    EXPECT_TRUE(*WaitReadable(copy, milliseconds(5000)));
    EXPECT_TRUE(exchange.is_client_gone());
    noticed.count_down();
  }));
  Client client = server.Connect();
  client.Say(Get("/it"));
  began.wait();
  client.Leave();
  noticed.wait();
}

// The next request on a connection reuses the eventfd of the previous one.
TEST(HttpClientGone, IsNoticedAfterRequestsThatWereAnswered) {
  std::latch began(3);
  std::latch noticed(1);
  TestServer server(WithRoute("GET", [&](Exchange exchange) {
    const Fd gone(::dup(*exchange.client_gone()));
    EXPECT_FALSE(*WaitReadable(gone, milliseconds(0)));
    began.count_down();
    if (!began.try_wait()) return exchange.Answer(Response{});
    EXPECT_TRUE(*WaitReadable(gone, milliseconds(5000)));
    noticed.count_down();
  }));
  Client client = server.Connect();
  EXPECT_EQ(client.Ask(Get("/it")).status, 200u);
  EXPECT_EQ(client.Ask(Get("/it")).status, 200u);
  client.Say(Get("/it"));
  began.wait();
  client.Leave();
  noticed.wait();
}

TEST(HttpClientGone, IsNoticedBehindMoreRequestsThanAreRead) {
  std::latch began(1);
  std::latch noticed(1);
  TestServer server(WithRoute("GET", [&](Exchange exchange) {
    Fd gone(::dup(*exchange.client_gone()));
    began.count_down();
    EXPECT_TRUE(*WaitReadable(gone, milliseconds(5000)));
    noticed.count_down();
  }));
  Client client = server.Connect();
  client.Say(Get("/it"));
  began.wait();
  client.Say(std::string(100 << 10, 'a'));
  client.Leave();
  noticed.wait();
}

TEST(HttpClientGone, AWriteFailsInsteadOfWaiting) {
  std::latch noticed(1);
  TestServer server(WithRoute("GET", [&](Exchange exchange) {
    EXPECT_TRUE(exchange.BeginStream(StreamKind::kNdjson));
    const std::string event(32 << 10, '1');
    while (exchange.Write(event)) continue;
    noticed.count_down();
  }));
  Client client = server.Connect();
  client.Say(Get("/it"));
  EXPECT_NE(client.HearUntil("\r\n\r\n"), "");
  client.Leave();
  noticed.wait();
}

Handler CountBody() {
  return [](Exchange exchange) {
    std::string piece(10000, '\0');
    std::size_t total = 0;
    for (;;) {
      const Result<std::size_t> size = exchange.ReadBody(piece);
      if (!size) return exchange.Answer(size.error());
      if (*size == 0) break;
      total += *size;
    }
    exchange.Answer(Response{200, "text/plain", std::to_string(total), {}});
  };
}

TEST(HttpUpload, ReadsALargeBodyInPieces) {
  TestServer server(WithRoute("PUT", CountBody(), BodyKind::kPieces));
  Client client = server.Connect();
  const std::string body(std::size_t{20} << 20, 'b');
  client.Say("PUT /it HTTP/1.1\r\nContent-Length: " + std::to_string(body.size()) + "\r\n\r\n");
  EXPECT_EQ(client.Ask(body).body, std::to_string(body.size()));
  EXPECT_EQ(
      client.Ask("PUT /it HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n")
          .body,
      "3");
  EXPECT_EQ(client.Ask("PUT /it HTTP/1.1\r\n\r\n").body, "0");
  EXPECT_EQ(client.Ask(Get("/hello")).body, "hello");
}

TEST(HttpUpload, DoesNotReadFasterThanItsHandler) {
  std::latch go(1);
  TestServer server(WithRoute(
      "PUT",
      [&](Exchange exchange) {
        go.wait();
        CountBody()(std::move(exchange));
      },
      BodyKind::kPieces));
  Client client = server.Connect();
  client.Say("PUT /it HTTP/1.1\r\nContent-Length: 33554432\r\n\r\n");
  const std::string piece(1 << 16, 'a');
  std::size_t sent = 0;
  while (sent < 33554432) {
    const ssize_t size =
        ::send(client.socket().get(), piece.data(), piece.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
    if (size > 0) sent += static_cast<std::size_t>(size);
    if (size > 0) continue;
    std::this_thread::sleep_for(milliseconds(30));
    const ssize_t again =
        ::send(client.socket().get(), piece.data(), piece.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
    if (again <= 0) break;
    sent += static_cast<std::size_t>(again);
  }
  EXPECT_LT(sent, std::size_t{4} << 20);
  go.count_down();
  client.Say(std::string(33554432 - sent, 'a'));
  EXPECT_EQ(client.Hear().value_or(Answer{}).body, "33554432");
}

TEST(HttpUpload, AnEarlyAnswerEndsTheConnection) {
  TestServer server(WithRoute(
      "PUT", [](Exchange exchange) { exchange.Answer(Error(Kind::kDenied, "not here")); },
      BodyKind::kPieces));
  Client client = server.Connect();
  const Answer answer = client.Ask("PUT /it HTTP/1.1\r\nContent-Length: 10\r\n\r\nabc");
  EXPECT_EQ(answer.status, 403u);
  EXPECT_THAT(answer.head, HasSubstr("Connection: close\r\n"));
  EXPECT_TRUE(client.IsClosed());
}

TEST(HttpUpload, ASlowOrTooLargeBodyIsAnsweredForTheHandler) {
  Options options = WithRoute("PUT", CountBody(), BodyKind::kPieces);
  options.limits.body_grace = milliseconds(50);
  TestServer server(std::move(options));
  EXPECT_EQ(server.Connect().Ask("PUT /it HTTP/1.1\r\nContent-Length: 10\r\n\r\nabc").status, 408u);
  EXPECT_EQ(server.Connect()
                .Ask("PUT /it HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n4000001\r\n")
                .status,
            413u);
}

TEST(HttpUpload, AHandlerHearsThatItsClientLeftInTheMiddle) {
  std::latch failed(1);
  TestServer server(WithRoute(
      "PUT",
      [&](Exchange exchange) {
        std::string piece(100, '\0');
        Result<std::size_t> size = exchange.ReadBody(piece);
        while (size && *size > 0) size = exchange.ReadBody(piece);
        EXPECT_FALSE(size);
        failed.count_down();
      },
      BodyKind::kPieces));
  Client client = server.Connect();
  client.Say("PUT /it HTTP/1.1\r\nContent-Length: 10\r\n\r\nabc");
  client.Leave();
  failed.wait();
}

TEST(HttpEnd, DrainLetsWhatRunsFinishAndTakesNothingNew) {
  std::latch running(1);
  std::latch finish(1);
  TestServer server(WithRoute("GET", [&](Exchange exchange) {
    running.count_down();
    finish.wait();
    exchange.Answer(Response{200, "text/plain", "whole", {}});
  }));
  Client busy = server.Connect();
  Client idle = server.Connect();
  EXPECT_EQ(idle.Ask(Get("/hello")).status, 200u);
  busy.Say(Get("/it"));
  running.wait();
  server->StopAccepting();
  EXPECT_TRUE(idle.IsClosed()) << "an idle connection is closed at once";
  EXPECT_FALSE(std::filesystem::exists(server.address().substr(5)));
  finish.count_down();
  EXPECT_TRUE(server->Drain(Clock::now() + std::chrono::seconds(5)));
  const Answer answer = busy.Hear().value_or(Answer{});
  EXPECT_EQ(answer.body, "whole");
  EXPECT_THAT(answer.head, HasSubstr("Connection: close\r\n"));
}

TEST(HttpEnd, DrainCutsWhatDoesNotFinish) {
  std::latch running(1);
  TestServer server(WithRoute("GET", [&](Exchange exchange) {
    const Result<int> gone = exchange.client_gone();
    Fd copy(::dup(*gone));
    running.count_down();
    EXPECT_TRUE(*WaitReadable(copy, milliseconds(5000)));
  }));
  Client client = server.Connect();
  client.Say(Get("/it"));
  running.wait();
  EXPECT_FALSE(server->Drain(Clock::now() + milliseconds(50)));
  EXPECT_FALSE(client.Hear());
}

TEST(HttpEnd, AnExchangeMayOutliveItsServer) {
  std::optional<Exchange> kept;
  std::latch running(1);
  TestServer server(WithRoute("GET", [&](Exchange exchange) {
    kept.emplace(std::move(exchange));
    running.count_down();
  }));
  Client client = server.Connect();
  client.Say(Get("/it"));
  running.wait();
  server.End();
  EXPECT_TRUE(kept->is_client_gone());
  kept->Answer(Response{});
  kept.reset();
}

}  // namespace
}  // namespace belljar::http::server
