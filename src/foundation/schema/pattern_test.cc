#include "foundation/schema/pattern.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace belljar::schema {
namespace {

using ::testing::HasSubstr;

bool Finds(std::string_view pattern, std::string_view text) {
  const auto compiled = Pattern::Create(pattern);
  EXPECT_TRUE(compiled) << pattern << ": " << compiled.error().message();
  return compiled && compiled->Finds(text);
}

TEST(SchemaPattern, ReadsWhatJavaScriptWrites) {
  EXPECT_TRUE(Finds("^\\d{3}-\\w+$", "123-ab_9"));
  EXPECT_FALSE(Finds("^\\d+$", "١"));  // digits are ASCII
  EXPECT_TRUE(Finds("^\\u00e9\\x41\\u{1F600}\\uD83D\\uDE00$", "éA😀😀"));
  EXPECT_TRUE(Finds("^[\\s\\S]$", "\xC2\xA0"));
  EXPECT_TRUE(Finds("^\\s$", "\xC2\xA0"));
  EXPECT_FALSE(Finds("^\\S$", "\xC2\xA0"));
  EXPECT_TRUE(Finds("^[\\S]$", "é"));
  EXPECT_FALSE(Finds("^.$", "\r"));
  EXPECT_FALSE(Finds("^.$", "\xE2\x80\xA8"));
  EXPECT_TRUE(Finds("^[\\b]$", "\b"));
  EXPECT_TRUE(Finds("\\bword\\b", "a word."));
  EXPECT_TRUE(Finds("^[[:]+$", "[:"));
  EXPECT_TRUE(Finds("^a\\/b\\-c$", "a/b-c"));
  EXPECT_TRUE(Finds("^(?<year>\\d{4})(?:-)$", "2024-"));
  EXPECT_TRUE(Finds("^\\cA\\0$", std::string_view("\x01\0", 2)));
  EXPECT_FALSE(Finds("a$", "a\n"));
}

TEST(SchemaPattern, RefusesWhatNeedsBacktracking) {
  const auto refusal = [](std::string_view pattern) {
    const auto compiled = Pattern::Create(pattern);
    return compiled ? "" : compiled.error().message();
  };
  for (const char* pattern : {"(?=a)", "(?!a)", "(?<=a)", "(?<!a)", "(?i)a"}) {
    EXPECT_THAT(refusal(pattern), HasSubstr("looks ahead or behind")) << pattern;
  }
  EXPECT_THAT(refusal("(a)\\1"), HasSubstr("the escape \\1"));
  EXPECT_THAT(refusal("\\k<a>"), HasSubstr("the escape \\k"));
  EXPECT_THAT(refusal("\\Aa\\z"), HasSubstr("the escape \\A"));
  EXPECT_THAT(refusal("[]"), HasSubstr("empty brackets"));
  EXPECT_THAT(refusal("[a"), HasSubstr("without its ]"));
  EXPECT_THAT(refusal("a\\"), HasSubstr("ends with a backslash"));
  EXPECT_THAT(refusal("\\uD83D"), HasSubstr("without a character"));
  EXPECT_THAT(refusal("\\u12"), HasSubstr("without a character"));
  EXPECT_THAT(refusal("\\x4"), HasSubstr("without a character"));
  EXPECT_THAT(refusal("(a"), HasSubstr("cannot be used"));
}

}  // namespace
}  // namespace belljar::schema
