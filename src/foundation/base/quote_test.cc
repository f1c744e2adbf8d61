#include "foundation/base/quote.h"

#include <gtest/gtest.h>

#include "foundation/base/text.h"

namespace belljar {
namespace {

TEST(Quote, ShowsPlainTextInQuotes) {
  EXPECT_EQ(Quote("tmeout"), R"("tmeout")");
  EXPECT_EQ(Quote("grüße"), "\"grüße\"");
  EXPECT_EQ(Quote(R"(a"b\c)"), R"("a\"b\\c")");
}

TEST(Quote, EscapesWhatMovesTheCursorOrReordersText) {
  EXPECT_EQ(Quote("a\x1b[2Jb"), R"("a\u001b[2Jb")");
  EXPECT_EQ(Quote("a\u202Eb"), R"("a\u202eb")");
  EXPECT_EQ(Quote("a\u0085b"), R"("a\u0085b")");
}

TEST(Quote, CutsLongTextBetweenCharacters) {
  EXPECT_EQ(Quote(std::string(64, 'x')), '"' + std::string(64, 'x') + '"');
  EXPECT_EQ(Quote(std::string(65, 'x')), '"' + std::string(64, 'x') + "...\"");
  EXPECT_EQ(Quote(std::string(63, 'x') + "üü"), '"' + std::string(63, 'x') + "...\"");
  EXPECT_EQ(Quote(std::string(60, 'x') + "🫙🫙🫙"), '"' + std::string(60, 'x') + "🫙...\"");
}

TEST(Quote, IsValidUtf8WhateverItIsGiven) {
  for (const std::string& bytes : {std::string("\xff\xfe"), std::string(1000, '\xe2'),
                                   std::string(63, 'x') + "\xe2\x82", std::string(4, '\0')}) {
    EXPECT_TRUE(IsValidUtf8(Quote(bytes)));
  }
}

TEST(FindTrouble, TellsControlFromBidirectionalCharacters) {
  EXPECT_EQ(FindTrouble("grüße 漢字 🫙").trouble, Trouble::kNone);
  EXPECT_EQ(FindTrouble("ab\x7f").trouble, Trouble::kControl);
  EXPECT_EQ(FindTrouble("ab\x7f").offset, 2u);
  EXPECT_EQ(FindTrouble("ü\u2028").offset, 2u);
  for (const char* text : {"\u061C", "\u200E", "\u200F", "\u202A", "\u202E", "\u2066", "\u2069"}) {
    EXPECT_EQ(FindTrouble(text).trouble, Trouble::kBidirectional) << text;
    EXPECT_EQ(FindControl(text), std::string_view::npos) << text;
  }
}

}  // namespace
}  // namespace belljar
