#include "foundation/base/text.h"

#include <gtest/gtest.h>

namespace belljar {
namespace {

TEST(Text, FindsTheFirstByteThatIsNotUtf8) {
  EXPECT_TRUE(IsValidUtf8("plain, grüße, 漢字, 🫙"));
  EXPECT_EQ(FindInvalidUtf8("ab\xFFz"), 2u);
  EXPECT_EQ(FindInvalidUtf8("a\xC0\x80"), 1u);         // overlong NUL
  EXPECT_EQ(FindInvalidUtf8("\xED\xA0\x80"), 0u);      // surrogate
  EXPECT_EQ(FindInvalidUtf8("\xF4\x90\x80\x80"), 0u);  // past U+10FFFF
  EXPECT_EQ(FindInvalidUtf8("ok\xE2\x82"), 2u);        // cut short
}

TEST(Text, FindsItBehindAsciiOfAnyLength) {
  for (std::size_t before = 0; before < 40; ++before) {
    const std::string ascii(before, 'x');
    EXPECT_EQ(FindInvalidUtf8(ascii + "\xFF" + ascii), before);
    EXPECT_EQ(FindInvalidUtf8("ü" + ascii + "ü" + ascii + "\xE2\x82"), 2 * before + 4);
    EXPECT_TRUE(IsValidUtf8(ascii + "ü" + ascii + "🫙" + ascii));
  }
}

TEST(Text, ShowsEachIllFormedSequenceOnce) {
  const CleanText clean = ToValidUtf8("a\xFF\xE2\x82z");
  EXPECT_EQ(clean.text, "a\xEF\xBF\xBD\xEF\xBF\xBDz");
  EXPECT_EQ(clean.replaced, 2u);
}

TEST(Text, Base64GoesThereAndBack) {
  const std::string bytes("\0\xFF\x10 any", 7);
  std::string back;
  ASSERT_TRUE(Base64Decode(Base64Encode(bytes), back));
  EXPECT_EQ(back, bytes);
  EXPECT_TRUE(Base64Decode("", back));
  EXPECT_EQ(back, "");
}

TEST(Text, RefusesWhatIsNotBase64) {
  std::string back;
  for (const char* bad : {"a", "ab=c", "====", "a b=", "YWJ\n", "YWJj*ZGV"}) {
    EXPECT_FALSE(Base64Decode(bad, back)) << bad;
  }
}

}  // namespace
}  // namespace belljar
