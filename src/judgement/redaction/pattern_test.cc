#include "judgement/redaction/pattern.h"

#include <gtest/gtest.h>

namespace belljar::judgement::redaction {
namespace {

TEST(Pattern, AnchorsAtWhatItBeginsWith) {
  const auto parsed = ParsePattern("ghp_%w{36}", Case::kExact);
  ASSERT_TRUE(parsed);
  ASSERT_EQ(parsed->size(), 1U);
  EXPECT_FALSE(parsed->front().has_lead);
  EXPECT_GE(parsed->front().anchor_bytes, 4U);
}

TEST(Pattern, AnchorsBehindAnItemOfUnknownLength) {
  const auto parsed = ParsePattern("[0-9]{8,10}:(AA%w{33})", Case::kExact);
  ASSERT_TRUE(parsed);
  EXPECT_TRUE(parsed->front().has_lead);
  EXPECT_EQ(parsed->front().secret_first, 2U);
}

TEST(Pattern, MakesASequenceOfEachAlternative) {
  const auto parsed = ParsePattern("(?:ab|cd)(?:e)?f+", Case::kExact);
  ASSERT_TRUE(parsed);
  EXPECT_EQ(parsed->size(), 4U);
}

TEST(Pattern, TakesBothCasesWhenAsked) {
  const auto parsed = ParsePattern("token", Case::kAny);
  ASSERT_TRUE(parsed);
  EXPECT_TRUE(parsed->front().items[0].set.Has('T'));
  EXPECT_TRUE(parsed->front().items[0].set.Has('t'));
}

TEST(Pattern, TellsWhatIsWrong) {
  for (const std::string_view text : {"", "[abc", "(?:ab", "a{", "a{3,1}", "abc\\"}) {
    EXPECT_FALSE(ParsePattern(text, Case::kExact)) << text;
  }
}

}  // namespace
}  // namespace belljar::judgement::redaction
