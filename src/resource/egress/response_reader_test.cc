#include "resource/egress/response_reader.h"

#include <gtest/gtest.h>

namespace belljar::resource::egress {
namespace {

using Body = ResponseReader::Body;

TEST(ResponseReader, EndsWhereTheAnswerEnds) {
  ResponseReader reader(Body::kAsSaid);
  const auto used = reader.Feed("HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nabcHTTP/1.1 500");
  ASSERT_TRUE(used);
  EXPECT_EQ(*used, 41U);
  EXPECT_TRUE(reader.done());
  EXPECT_TRUE(reader.keep_alive());
  EXPECT_EQ(reader.status(), 200U);
}

TEST(ResponseReader, ReadsChunksInPieces) {
  const std::string text =
      "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n";
  ResponseReader reader(Body::kAsSaid);
  std::string held;
  for (const char c : text) {
    EXPECT_FALSE(reader.done());
    held += c;
    const auto used = reader.Feed(held);
    ASSERT_TRUE(used) << used.error().message();
    held.erase(0, *used);
  }
  EXPECT_TRUE(reader.done());
}

TEST(ResponseReader, KnowsThatAnAnswerToHeadHasNoBody) {
  ResponseReader reader(Body::kNone);
  ASSERT_TRUE(reader.Feed("HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\n"));
  EXPECT_TRUE(reader.done());
}

TEST(ResponseReader, EndsWithTheConnectionWhereNothingElseIsSaid) {
  ResponseReader reader(Body::kAsSaid);
  ASSERT_TRUE(reader.Feed("HTTP/1.1 200 OK\r\n\r\nabc"));
  EXPECT_FALSE(reader.done());
  EXPECT_TRUE(reader.End());
  EXPECT_FALSE(reader.keep_alive());
  ResponseReader cut(Body::kAsSaid);
  ASSERT_TRUE(cut.Feed("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nabc"));
  EXPECT_FALSE(cut.End()) << "it was cut short";
  EXPECT_FALSE(ResponseReader(Body::kAsSaid).End()) << "it never began";
}

TEST(ResponseReader, GoesOnAfterAnInterimAnswer) {
  ResponseReader reader(Body::kAsSaid);
  const std::string text = "HTTP/1.1 103 Early Hints\r\n\r\nHTTP/1.1 204 No Content\r\n\r\n";
  const auto used = reader.Feed(text);
  ASSERT_TRUE(used);
  EXPECT_TRUE(reader.interim());
  reader.Restart();
  ASSERT_TRUE(reader.Feed(text.substr(*used)));
  EXPECT_EQ(reader.status(), 204U);
  EXPECT_TRUE(reader.done());
}

TEST(ResponseReader, RefusesGarbageAndEndlessHeads) {
  ResponseReader garbage(Body::kAsSaid);
  EXPECT_FALSE(garbage.Feed("SSH-2.0-OpenSSH\r\n\r\n"));
  ResponseReader endless(Body::kAsSaid);
  EXPECT_FALSE(endless.Feed("HTTP/1.1 200 OK\r\nX: " + std::string(kMaxResponseHeadBytes, 'x')));
}

}  // namespace
}  // namespace belljar::resource::egress
