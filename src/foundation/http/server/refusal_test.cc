// Requests that are refused for their bytes: each with its own status, and the connection is closed
// if the rest could be taken for another request.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "foundation/http/server/testing.h"

namespace belljar::http::server {
namespace {

using testing::HasSubstr;

// Sends these bytes on a new connection and returns the status. A second request follows them,
// which must not be answered.
unsigned RefusedWith(TestServer& server, const std::string& bytes) {
  Client client = server.Connect();
  client.Say(bytes);
  client.Say(Get("/hello"));
  const Answer answer = client.Hear().value_or(Answer{});
  EXPECT_TRUE(client.IsClosed()) << "answered once more after: " << bytes.substr(0, 200);
  return answer.status;
}

std::string Framed(std::string_view headers, std::string_view body) {
  return fmt::format("POST /echo HTTP/1.1\r\nHost: x\r\n{}\r\n{}", headers, body);
}

TEST(HttpRefusal, ALengthBesideAnEncoding) {
  TestServer server;
  const std::string chunks = "0\r\n\r\n";
  EXPECT_EQ(
      RefusedWith(server, Framed("Content-Length: 5\r\nTransfer-Encoding: chunked\r\n", chunks)),
      400u);
  EXPECT_EQ(
      RefusedWith(server, Framed("Transfer-Encoding: chunked\r\nContent-Length: 5\r\n", chunks)),
      400u);
  EXPECT_EQ(
      RefusedWith(server, Framed("Transfer-Encoding: identity\r\nContent-Length: 2\r\n", "ab")),
      400u);
}

TEST(HttpRefusal, TwoLengthsEvenEqualOnes) {
  TestServer server;
  EXPECT_EQ(RefusedWith(server, Framed("Content-Length: 2\r\nContent-Length: 2\r\n", "ab")), 400u);
  EXPECT_EQ(RefusedWith(server, Framed("Content-Length: 2, 2\r\n", "ab")), 400u);
  EXPECT_EQ(RefusedWith(server, Framed("Content-Length: 2\r\nContent-Length: 3\r\n", "ab")), 400u);
}

TEST(HttpRefusal, LengthsThatAreNotPlainNumbers) {
  TestServer server;
  for (const char* length : {"+2", "-2", "0x2", "2 ", "2;", "", "99999999999999999999", "2a"}) {
    const std::string value(length);
    if (value == "2 ") continue;  // blanks around a value are not part of it
    EXPECT_EQ(RefusedWith(server, Framed("Content-Length: " + value + "\r\n", "ab")), 400u)
        << value;
  }
}

TEST(HttpRefusal, EncodingsOtherThanChunked) {
  TestServer server;
  const std::string chunks = "0\r\n\r\n";
  for (const char* encoding : {"gzip, chunked", "chunked, identity", "identity", "xchunked",
                               "chunked, chunked", "\"chunked\""}) {
    const std::string header = fmt::format("Transfer-Encoding: {}\r\n", encoding);
    EXPECT_EQ(RefusedWith(server, Framed(header, chunks)), 501u) << encoding;
  }
  EXPECT_EQ(
      RefusedWith(server,
                  Framed("Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n", chunks)),
      400u);
}

TEST(HttpRefusal, FoldedHeadersAndLooseLines) {
  TestServer server;
  EXPECT_EQ(RefusedWith(server, Framed("X-A: b\r\n c\r\n", "")), 400u);
  EXPECT_EQ(RefusedWith(server, Framed("X-A: b\r\n\tc\r\n", "")), 400u);
  EXPECT_EQ(RefusedWith(server, Framed("X-A: b\nX-C: d\r\n", "")), 400u) << "a lone LF";
  EXPECT_EQ(RefusedWith(server, Framed("X-A: b\rX-C: d\r\n", "")), 400u) << "a lone CR";
  EXPECT_EQ(RefusedWith(server, Framed("X-A : b\r\n", "")), 400u) << "a blank before the colon";
  EXPECT_EQ(RefusedWith(server, Framed("X-A\r\n", "")), 400u);
  EXPECT_EQ(RefusedWith(server, Framed(": b\r\n", "")), 400u);
  EXPECT_EQ(RefusedWith(server, Framed(std::string("X-A: \0b\r\n", 9), "")), 400u);
}

TEST(HttpRefusal, ChunksWithExtensionsOrNonsense) {
  TestServer server;
  const std::string chunked = "Transfer-Encoding: chunked\r\n";
  EXPECT_EQ(RefusedWith(server, Framed(chunked, "2;a=b\r\nab\r\n0\r\n\r\n")), 400u);
  EXPECT_EQ(RefusedWith(server, Framed(chunked, "2\r\nabc\r\n0\r\n\r\n")), 400u);
  EXPECT_EQ(RefusedWith(server, Framed(chunked, "zz\r\nab\r\n0\r\n\r\n")), 400u);
  EXPECT_EQ(RefusedWith(server, Framed(chunked, "2\nab\n0\n\n")), 400u);
  EXPECT_EQ(RefusedWith(server, Framed(chunked, "fffffffffffffffff\r\nab\r\n")), 400u);
}

TEST(HttpRefusal, TrailersThatAreManyOrMalformedOrFrameTheBodyAnew) {
  TestServer server;
  const auto with = [](const std::string& trailers) {
    return Framed("Transfer-Encoding: chunked\r\n", "2\r\nab\r\n0\r\n" + trailers + "\r\n");
  };
  std::string many;
  for (int i = 0; i < 101; ++i) many += "X-Late: 1\r\n";
  for (const std::string& bad :
       {many, std::string("X-Late\r\n"), std::string("X Late: 1\r\n"),
        std::string("X-Late: 1\nX-Later: 2\r\n"), std::string("Content-Length: 2\r\n")}) {
    EXPECT_EQ(RefusedWith(server, with(bad)), 400u) << bad.substr(0, 40);
  }
}

TEST(HttpRefusal, TrailersWithoutEnd) {
  TestServer server;
  Client client = server.Connect();
  client.Say(Framed("Transfer-Encoding: chunked\r\n", "2\r\nab\r\n0\r\nX-Late: "));
  const std::string filler(16384, 'a');
  for (int i = 0; i < 32 && client.TrySay(filler); ++i) continue;
  EXPECT_EQ(client.Hear().value_or(Answer{}).status, 400u);
}

TEST(HttpRefusal, NotOfTrailersWhichAreLeftOut) {
  TestServer server;
  Client client = server.Connect();
  client.Say(Framed("Transfer-Encoding: chunked\r\nTrailer: X-Late\r\n",
                    "2\r\nab\r\n0\r\nX-Late: 1\r\nAuthorization: Bearer x\r\n\r\n"));
  EXPECT_EQ(client.Hear().value_or(Answer{}).body, "ab");
  EXPECT_EQ(client.Ask(Get("/hello")).status, 200u) << "and the next request is seen";
}

TEST(HttpRefusal, AChunkHeadWithoutEnd) {
  TestServer server;
  Client client = server.Connect();
  client.Say(Framed("Transfer-Encoding: chunked\r\n", "2;"));
  const std::string filler(16384, 'a');
  for (int i = 0; i < 32 && client.TrySay(filler); ++i) continue;
  EXPECT_EQ(client.Hear().value_or(Answer{}).status, 400u);
}

TEST(HttpRefusal, RequestLinesThatAreNot) {
  TestServer server;
  EXPECT_EQ(RefusedWith(server, "GET /hello\r\n\r\n"), 400u);
  EXPECT_EQ(RefusedWith(server, "GET  /hello HTTP/1.1\r\nHost: x\r\n\r\n"), 400u);
  EXPECT_EQ(RefusedWith(server, "G@T /hello HTTP/1.1\r\nHost: x\r\n\r\n"), 400u);
  EXPECT_EQ(RefusedWith(server, "\r\nGET /hello HTTP/1.1\r\nHost: x\r\n\r\n"), 400u);
  EXPECT_EQ(RefusedWith(server, "GET /hello HTTP/1.0\r\n\r\n"), 505u);
  EXPECT_EQ(RefusedWith(server, "GET /hello HTTP/2.0\r\n\r\n"), 505u);
  EXPECT_EQ(RefusedWith(server, "GET http://x/hello HTTP/1.1\r\nHost: x\r\n\r\n"), 400u);
  EXPECT_EQ(RefusedWith(server, "CONNECT x:80 HTTP/1.1\r\nHost: x\r\n\r\n"), 400u);
}

TEST(HttpRefusal, PathsThatCouldMeanTwoThings) {
  TestServer server;
  for (const char* path : {"/../hello", "/%2e%2e/hello", "/a/./hello", "/a//hello", "//hello",
                           "/a%2fhello", "/a%00", "/a%0a", "/a%ff", "/a%", "/a%zz", "/a?x=%00"}) {
    EXPECT_EQ(RefusedWith(server, Get(path)), 400u) << path;
  }
}

TEST(HttpRefusal, ATargetThatIsTooLong) {
  TestServer server;
  const std::size_t most = Limits{}.head.target_bytes;
  EXPECT_EQ(server.Connect().Ask(Get("/hello?a=" + std::string(most - 9, 'a'))).status, 200u);
  EXPECT_EQ(RefusedWith(server, Get("/hello?a=" + std::string(most - 8, 'a'))), 414u);
}

TEST(HttpRefusal, AHeadThatIsTooLargeOrHasTooManyHeaders) {
  TestServer server;
  std::string headers;
  for (int i = 0; i < 99; ++i) headers += fmt::format("X-{}: a\r\n", i);
  EXPECT_EQ(server.Connect().Ask(Get("/hello", headers)).status, 200u) << "100 with Host";
  EXPECT_EQ(RefusedWith(server, Get("/hello", headers + "X-More: a\r\n")), 431u);

  const std::size_t most = Limits{}.head.head_bytes;
  const std::size_t rest = Get("/hello", "X-Long: \r\n").size();
  const std::string fits(most - rest, 'a');
  EXPECT_EQ(server.Connect().Ask(Get("/hello", "X-Long: " + fits + "\r\n")).status, 200u);
  EXPECT_EQ(RefusedWith(server, Get("/hello", "X-Long: " + fits + "a\r\n")), 431u);
  EXPECT_EQ(RefusedWith(server, Get("/hello", "X-Long: " + fits + fits)), 431u) << "without end";
}

TEST(HttpRefusal, ABodyLargerThanItsRouteTakes) {
  TestServer server;
  EXPECT_EQ(server.Connect().Ask(Post("/echo", std::string(65536, 'a'))).status, 200u);
  // Refused by its Content-Length, before any byte of the body has arrived.
  Client client = server.Connect();
  EXPECT_EQ(client.Ask(Framed("Content-Length: 65537\r\n", "")).status, 413u);
  EXPECT_TRUE(client.IsClosed());
  // Without a length, refused while the body arrives.
  const std::string chunk = fmt::format("8000\r\n{}\r\n", std::string(0x8000, 'a'));
  Client streaming = server.Connect();
  streaming.Say(Framed("Transfer-Encoding: chunked\r\n", chunk + chunk));
  EXPECT_EQ(streaming.Ask("1\r\na\r\n").status, 413u);
  EXPECT_EQ(RefusedWith(server, "GET /hello HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\n\r\na"),
            413u);
}

TEST(HttpRefusal, MediaTypesThatARouteDoesNotTake) {
  Options options = EchoOptions();
  ASSERT_TRUE(options.router.Add(
      "POST", "/json",
      {.scope = kOpen, .handler = Echo(), .body_limit = 100, .media_types = {"application/json"}}));
  TestServer server(std::move(options));
  EXPECT_EQ(server.Connect()
                .Ask(Post("/json", "{}", "Content-Type: Application/JSON; charset=utf-8\r\n"))
                .status,
            200u);
  EXPECT_EQ(RefusedWith(server, Post("/json", "{}", "Content-Type: text/plain\r\n")), 415u);
  const Answer answer = server.Connect().Ask(Post("/json", "{}"));
  EXPECT_EQ(answer.status, 415u);
  EXPECT_THAT(answer.body, HasSubstr("Content-Type must be application/json"));
}

TEST(HttpRefusal, ExpectationsNobodyKnows) {
  TestServer server;
  EXPECT_EQ(RefusedWith(server, Framed("Expect: tea\r\nContent-Length: 0\r\n", "")), 417u);
}

// These tests use a TCP listener: host names are checked only there.
class HttpNames : public testing::Test {
 protected:
  static Options OnTcp() {
    Options options = EchoOptions();
    options.listen = {"127.0.0.1:0"};
    return options;
  }
  unsigned Ask(const std::string& headers) {
    return server_.Connect().Ask("GET /hello HTTP/1.1\r\n" + headers + "\r\n").status;
  }
  std::string port() const { return server_.address().substr(server_.address().rfind(':') + 1); }

  TestServer server_{OnTcp()};
};

TEST_F(HttpNames, OnlyItsOwnNamesAreAHost) {
  for (const char* host : {"localhost", "LOCALHOST", "127.0.0.1", "[::1]"}) {
    EXPECT_EQ(Ask(fmt::format("Host: {}:{}\r\n", host, port())), 200u) << host;
  }
  EXPECT_EQ(Ask(""), 400u);
  for (const char* host :
       {"evil.example", "localhost.evil.example", "127.0.0.1.evil.example", ""}) {
    EXPECT_EQ(Ask(fmt::format("Host: {}:{}\r\n", host, port())), 403u) << host;
  }
  EXPECT_EQ(Ask("Host: localhost\r\n"), 403u) << "the port is part of the name";
  EXPECT_EQ(Ask("Host: localhost:1\r\n"), 403u);
  EXPECT_EQ(Ask(fmt::format("Host: localhost:{0}\r\nHost: localhost:{0}\r\n", port())), 400u);
}

TEST_F(HttpNames, OnlyItselfIsAnOrigin) {
  const std::string host = "Host: localhost:" + port() + "\r\n";
  EXPECT_EQ(Ask(host + "Origin: http://localhost:" + port() + "\r\n"), 200u);
  for (const std::string& origin :
       {std::string("null"), std::string("http://evil.example"), "https://localhost:" + port(),
        std::string("http://localhost"), "http://localhost:" + port() + ".evil.example"}) {
    EXPECT_EQ(Ask(host + "Origin: " + origin + "\r\n"), 403u) << origin;
  }
}

// If a TCP socket is closed with unread bytes, the client gets a reset and loses data not read yet.
TEST_F(HttpNames, ARefusalIsReadAlsoByAClientThatGoesOnSending) {
  Client client = server_.Connect();
  client.Say(fmt::format("POST /echo HTTP/1.1\r\nHost: localhost:{}\r\nContent-Length: {}\r\n\r\n",
                         port(), 4 << 20));
  ASSERT_TRUE(Eventually([&] { return server_->stats().requests == 1; }));
  client.Say(std::string(2 << 20, 'a'));
  client.Say(std::string(2 << 20, 'a'));
  EXPECT_EQ(client.Hear().value_or(Answer{}).status, 413u);
}

TEST(HttpNamesOnUnix, AnyHostIsTakenAndNoOrigin) {
  TestServer server;
  EXPECT_EQ(server.Connect().Ask("GET /hello HTTP/1.1\r\n\r\n").status, 200u);
  EXPECT_EQ(server.Connect().Ask(Get("/hello", "Origin: http://localhost\r\n")).status, 403u);
}

}  // namespace
}  // namespace belljar::http::server
