#include "foundation/http/server/target.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace belljar::http::server {
namespace {

using testing::ElementsAre;
using testing::Pair;

TEST(HttpTarget, DecodesOnceAfterSplitting) {
  const auto target = ParseTarget("/v1/files/a%20b/%252e%252e/%C3%A4?x=1+2&x=%2B&flag&empty=");
  ASSERT_TRUE(target);
  EXPECT_THAT(target->segments, ElementsAre("v1", "files", "a b", "%2e%2e", "ä"));
  EXPECT_EQ(target->path, "/v1/files/a b/%2e%2e/ä");
  EXPECT_THAT(target->query,
              ElementsAre(Pair("empty", ""), Pair("flag", ""), Pair("x", "1 2"), Pair("x", "+")));
}

TEST(HttpTarget, DropsOneSlashAtTheEnd) {
  EXPECT_EQ(ParseTarget("/a/")->path, "/a");
  EXPECT_EQ(ParseTarget("/")->path, "/");
  EXPECT_FALSE(ParseTarget("/a//"));
}

TEST(HttpTarget, BoundsItsParts) {
  std::string deep;
  for (std::size_t i = 0; i < kMostSegments; ++i) deep += "/a";
  EXPECT_TRUE(ParseTarget(deep));
  EXPECT_FALSE(ParseTarget(deep + "/a"));
  std::string wide = "/?a=1";
  for (std::size_t i = 1; i < kMostQueryParameters; ++i) wide += "&a=1";
  EXPECT_TRUE(ParseTarget(wide));
  EXPECT_FALSE(ParseTarget(wide + "&a=1"));
}

TEST(HttpTarget, RefusesWhatIsNoPath) {
  for (const char* target : {"", "*", "a", "http://h/a", "/a#b", "/a b", "/%", "/%4", "/%2F", "/%5",
                             "/a/..", "/..", "/%2E%2e/"}) {
    EXPECT_FALSE(ParseTarget(target)) << target;
  }
}

}  // namespace
}  // namespace belljar::http::server
