// Tests the checks of the head alone, without the parser, which would also refuse some of these
// heads.
#include "foundation/http/server/head_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace belljar::http::server {
namespace {

using testing::HasSubstr;

std::string Why(const std::string& headers) {
  const auto refusal = RefuseHead("GET / HTTP/1.1\r\n" + headers + "\r\n", HeadLimits{});
  return refusal ? refusal->body : "";
}

TEST(HttpHeadText, TakesAPlainHead) {
  EXPECT_EQ(Why(""), "");
  EXPECT_EQ(Why("Host: localhost\r\nX-Empty:\r\nX-Tab: a\tb\r\nX-Latin: \xe4\r\n"), "");
}

TEST(HttpHeadText, RefusesWhatAParserMightForgive) {
  EXPECT_THAT(Why("X-A: b\r\n c\r\n"), HasSubstr("folded"));
  EXPECT_THAT(Why("X-A: b\r\n\tX-C: d\r\n"), HasSubstr("folded"));
  EXPECT_THAT(Why("X-A: b\nX-C: d\r\n"), HasSubstr("control character"));
  EXPECT_THAT(Why("X-A: b\rX-C: d\r\n"), HasSubstr("control character"));
  EXPECT_THAT(Why(std::string("X-A: \0\r\n", 8)), HasSubstr("control character"));
  EXPECT_THAT(Why("X-A: \x7f\r\n"), HasSubstr("control character"));
  EXPECT_THAT(Why("X-A : b\r\n"), HasSubstr("NAME: VALUE"));
  EXPECT_THAT(Why("X A: b\r\n"), HasSubstr("NAME: VALUE"));
  EXPECT_THAT(Why("X-A\r\n"), HasSubstr("NAME: VALUE"));
}

TEST(HttpHeadText, FindsTheEndWhereverTheBytesWereCut) {
  const std::string head = "GET / HTTP/1.1\r\nA: b\r\n\r\n";
  const std::string bytes = head + "body\r\n\r\n";
  for (std::size_t searched = 0; searched < head.size(); ++searched) {
    EXPECT_EQ(FindHeadEnd(bytes, searched), head.size()) << searched;
  }
  EXPECT_EQ(FindHeadEnd(head.substr(0, head.size() - 1), 0), std::nullopt);
}

TEST(HttpHeadText, FindsALineFeedThatStandsAlone) {
  const std::string bytes = "GET / HTTP/1.1\r\nA: b\nC: d\r\n";
  const std::size_t behind = bytes.find("C: d");
  for (std::size_t searched = 0; searched < behind; ++searched) {
    EXPECT_EQ(FindLoneLineFeed(bytes, searched), behind) << searched;
  }
  EXPECT_EQ(FindLoneLineFeed(bytes, behind), std::nullopt);
  EXPECT_EQ(FindLoneLineFeed("\n", 0), 1u);
  EXPECT_EQ(RefuseHead(bytes.substr(0, behind), HeadLimits())->status, 400u);
}

TEST(HttpHeadText, GivesUpOnAHeadWithoutEndAtTheLimit) {
  const HeadLimits limits{.head_bytes = 100, .headers = 10, .target_bytes = 20};
  const std::string line = "GET / HTTP/1.1\r\nX: ";
  EXPECT_FALSE(RefuseUnended(line + std::string(99 - line.size(), 'a'), limits));
  EXPECT_EQ(RefuseUnended(line + std::string(100 - line.size(), 'a'), limits)->status, 431u);
  EXPECT_EQ(RefuseUnended("GET /" + std::string(60, 'a'), limits)->status, 414u);
}

}  // namespace
}  // namespace belljar::http::server
