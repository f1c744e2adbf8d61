#include "foundation/http/client/response_reader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace belljar::http::client {
namespace {

constexpr std::string_view kWhole =
    "HTTP/1.1 404 Not Found\r\nContent-Type: Application/JSON; charset=utf-8\r\n"
    "Content-Length: 5\r\n\r\nhello";
constexpr std::string_view kStream =
    "HTTP/1.1 200 OK\r\nContent-Type: application/x-ndjson\r\nTransfer-Encoding: chunked\r\n\r\n"
    "6\r\n{\"a\":1\r\n2\r\n}\n\r\n8\r\n{\"b\":2}\n\r\n0\r\n\r\n";

TEST(ResponseReader, ReadsAWholeAnswerByteByByte) {
  ResponseReader reader(100);
  for (const char c : kWhole) {
    EXPECT_FALSE(reader.done());
    ASSERT_TRUE(reader.Feed({&c, 1}));
  }
  EXPECT_TRUE(reader.head_done() && reader.done());
  EXPECT_EQ(reader.status(), 404U);
  EXPECT_EQ(reader.content_type(), "application/json");
  EXPECT_EQ(reader.TakeBody(), "hello");
}

TEST(ResponseReader, GivesTheLinesOfAStreamAsTheyCome) {
  for (std::size_t piece = 1; piece <= kStream.size(); ++piece) {
    ResponseReader reader(100);
    std::vector<std::string> lines;
    for (std::size_t at = 0; at < kStream.size(); at += piece) {
      ASSERT_TRUE(reader.Feed(kStream.substr(at, piece)));
      for (std::string line; reader.TakeLine(line);) lines.push_back(line);
    }
    EXPECT_TRUE(reader.done());
    EXPECT_THAT(lines, testing::ElementsAre("{\"a\":1}", "{\"b\":2}")) << piece;
  }
}

TEST(ResponseReader, DoesNotTakeAPartForTheWhole) {
  for (const std::string_view whole : {kWhole, kStream}) {
    for (std::size_t size = 0; size < whole.size(); ++size) {
      ResponseReader reader(100);
      ASSERT_TRUE(reader.Feed(whole.substr(0, size)));
      EXPECT_FALSE(reader.End()) << size;
    }
    ResponseReader reader(100);
    ASSERT_TRUE(reader.Feed(whole));
    EXPECT_TRUE(reader.End());
  }
}

TEST(ResponseReader, BoundsWhatHasNotBeenTaken) {
  ResponseReader reader(8);
  const std::string head = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n";
  ASSERT_TRUE(reader.Feed(head + "8\r\n12345678\r\n"));
  EXPECT_EQ(reader.TakeBody(), "12345678");
  ASSERT_TRUE(reader.Feed("8\r\n12345678\r\n"));
  EXPECT_FALSE(reader.Feed("1\r\n9\r\n"));
}

TEST(ResponseReader, RefusesWhatIsNoAnswer) {
  for (const std::string& bytes :
       {std::string("SSH-2.0-OpenSSH\r\n"), std::string(70'000, '\0'),
        std::string("HTTP/1.1 200 OK\r\nContent-Length: x\r\n\r\n"),
        std::string("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n"),
        "HTTP/1.1 200 OK\r\nX: " + std::string(70'000, 'x'), std::string(kWhole) + "more"}) {
    ResponseReader reader(100);
    EXPECT_FALSE(reader.Feed(bytes)) << bytes.substr(0, 60);
  }
}

}  // namespace
}  // namespace belljar::http::client
