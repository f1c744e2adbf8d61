#include "judgement/analysis/javascript/text.h"

#include <gtest/gtest.h>

#include "judgement/analysis/javascript/path.h"

namespace belljar::judgement::analysis::javascript {
namespace {

TEST(JavaScriptText, ReadsEscapes) {
  EXPECT_EQ(Unescape(R"(\x41\u0042\u{43}\104\n\q)"), "ABCD\nq");
  EXPECT_EQ(Unescape("a\\\nb\\\r\nc"), "abc");
  EXPECT_EQ(Unescape("\\"), "\\");
  EXPECT_EQ(Unescape("\\u{1F600}"), "\xF0\x9F\x98\x80");
}

TEST(JavaScriptText, DecodesLeniently) {
  EXPECT_EQ(DecodeBase64("aGVs bG8"), "hello");
  EXPECT_EQ(DecodeBase64("_-8="), DecodeBase64("/+8="));
  EXPECT_EQ(DecodeHex("68690z"), "hi");
  EXPECT_EQ(DecodePercent("%63%u0061t%"), "cat%");
  EXPECT_EQ(FromLatin1("\xE9"), "\xC3\xA9");
}

TEST(JavaScriptText, CountsInCodePoints) {
  const std::u32string codes = CodesOf("a\xC3\xA9\xE2\x82\xAC");
  EXPECT_EQ(codes.size(), 3U);
  EXPECT_EQ(TextOf(codes), "a\xC3\xA9\xE2\x82\xAC");
  EXPECT_EQ(CodesOf("\xC3").size(), 1U);
}

TEST(JavaScriptText, ReadsNumbers) {
  EXPECT_EQ(ParseNumber("1_000"), 1000);
  EXPECT_EQ(ParseNumber("0xFF"), 255);
  EXPECT_EQ(ParseNumber("0b101"), 5);
  EXPECT_EQ(ParseNumber("0o17"), 15);
  EXPECT_EQ(ParseNumber("12n"), 12);
  EXPECT_EQ(ParseNumber("1e3"), 1000);
  EXPECT_FALSE(ParseNumber("x").has_value());
}

std::string Matches(std::string_view body, std::string_view flags, std::string_view text) {
  const auto pattern = Pattern::Parse(body, flags);
  if (!pattern) return "?";
  std::string found;
  const std::u32string codes = CodesOf(text);
  for (const auto& [begin, end] : pattern->Find(codes)) {
    found += TextOf(std::u32string_view(codes).substr(begin, end - begin)) + ",";
  }
  return found;
}

TEST(JavaScriptText, FollowsSimplePatternsOnly) {
  EXPECT_EQ(Matches("..", "g", "abcd"), "ab,cd,");
  EXPECT_EQ(Matches("[a-c]+", "", "xxabcx"), "abc,");
  EXPECT_EQ(Matches("\\d{2}", "g", "1234"), "12,34,");
  EXPECT_EQ(Matches("B", "i", "abc"), "b,");
  EXPECT_EQ(Matches("^\\w*$", "", "abc"), "abc,");
  EXPECT_EQ(Matches("[^-]", "g", "a-b"), "a,b,");
  EXPECT_EQ(Matches("(a)", "", "a"), "?");
  EXPECT_EQ(Matches("a|b", "", "a"), "?");
}

TEST(JavaScriptPath, JoinsAndResolves) {
  EXPECT_EQ(JoinPaths({"a", "..", "b", "./c"}), "b/c");
  EXPECT_EQ(JoinPaths({"/", "etc"}), "/etc");
  EXPECT_EQ(ResolvePaths({"a", "/b", "c"}), "/b/c");
  EXPECT_EQ(PathOfUrl("file:///a%20b"), "/a b");
  EXPECT_EQ(ModuleFile("./gen.js"), "gen");
}

TEST(JavaScriptPath, KnowsWhatLeadsOut) {
  for (const std::string_view path : {"/etc", "~", "../x", "/tmp/../x", "C:\\x", "file:///etc"}) {
    EXPECT_TRUE(LeadsOut(path)) << path;
  }
  for (const std::string_view path : {"", "a/../b", "/tmp/x", "/workspace", "a..b"}) {
    EXPECT_FALSE(LeadsOut(path)) << path;
  }
}

}  // namespace
}  // namespace belljar::judgement::analysis::javascript
