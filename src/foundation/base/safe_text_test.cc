#include "foundation/base/safe_text.h"

#include <gtest/gtest.h>

#include <random>

#include "foundation/base/text.h"

namespace belljar {
namespace {

std::string Visible(std::string_view bytes) { return MakeSafe(TextMode::kVisible, bytes); }
std::string Plain(std::string_view bytes) { return MakeSafe(TextMode::kPlain, bytes); }

TEST(SafeText, LeavesWhatIsOnlyText) {
  for (const TextMode mode : {TextMode::kRaw, TextMode::kVisible, TextMode::kPlain}) {
    EXPECT_EQ(MakeSafe(mode, "grüße\t漢字 🫙\r\n"), "grüße\t漢字 🫙\r\n");
  }
  EXPECT_EQ(MakeSafe(TextMode::kRaw, "\x1b[31m\xFF"), "\x1b[31m\xFF");
}

TEST(SafeText, ShowsWhatWouldAct) {
  EXPECT_EQ(Visible("\x1b[31mred"), "\\x1b[31mred");
  EXPECT_EQ(Visible(std::string_view("\0\x7f\x07", 3)), "\\x00\\x7f\\x07");
  EXPECT_EQ(Visible("\xC2\x9B"
                    "2J"),
            "\\x9b2J");
  EXPECT_EQ(Visible("a\xE2\x80\xAE"
                    "b\xE2\x81\xA6"
                    "c\xD8\x9C"),
            "a\\u202eb\\u2066c\\u061c");
  EXPECT_EQ(Visible("\x9B\xFF"), "\\x9b\\xff");
}

TEST(SafeText, LeavesSequencesOutWhole) {
  EXPECT_EQ(Plain("\x1b[1;31mred\x1b[0m text"), "red text");
  EXPECT_EQ(Plain("\xC2\x9B"
                  "2Jx"),
            "x");
  EXPECT_EQ(Plain("\x1b]0;title\x07"
                  "after"),
            "after");
  EXPECT_EQ(Plain("\x1b]8;;http://x\x1b\\link\x1b]8;;\x1b\\."), "link.");
  EXPECT_EQ(Plain("\x1bPq#0\x1b\\a\x1b_x\x1b\\b\x1b^x\xC2\x9C"
                  "c"),
            "abc");
  EXPECT_EQ(Plain("\x1b(Ba\x1b=b\x1b"
                  "cd"),
            "abd");
  EXPECT_EQ(Plain(std::string_view("a\0b\x08\x7f\x0b"
                                   "c",
                                   7)),
            "abc");
  EXPECT_EQ(Plain("a\xE2\x80\xAE"
                  "b"),
            "ab");
  EXPECT_EQ(Plain("a\xFF"
                  "b"),
            "a\xEF\xBF\xBD"
            "b");
}

// A sequence that never ends must not take the rest of the output with it.
TEST(SafeText, UnfinishedSequencesEndWithTheLine) {
  EXPECT_EQ(Plain("\x1b]0;hidden\nshown"), "\nshown");
  EXPECT_EQ(Plain("\x1b[12\nshown"), "\nshown");
  EXPECT_EQ(Plain("\x1b\nshown"), "\nshown");
  EXPECT_EQ(Plain("\x1b]x\x1b[0mshown"), "shown");
  EXPECT_EQ(Plain("\x1b[1é"), "é");
  EXPECT_TRUE(Plain("\x1b]" + std::string(5000, 'a')).ends_with("aaaa"));
  EXPECT_TRUE(Plain("\x1b[" + std::string(500, '1')).ends_with("1111"));
  EXPECT_EQ(Plain("a\x1b"), "a");
}

// Random bytes made of the parts most likely to interact: sequence openings and endings, pieces of
// characters.
std::string Wild(std::mt19937& random) {
  constexpr std::array<std::string_view, 18> kParts = {
      "a",        "\n",   "\x1b", "[",    "]",    "\\",   "m",    ";1", "\x07",
      "\xC2\x9B", "\xE2", "\x80", "\xAE", "\xF0", "\x9F", "\xED", "é",  "\xFF"};
  std::string bytes;
  for (int i = 0; i < 12; ++i) {
    bytes += kParts[std::uniform_int_distribution<std::size_t>(0, kParts.size() - 1)(random)];
  }
  return bytes;
}

TEST(SafeText, DoesNotDependOnWhereTheStreamIsCut) {
  std::mt19937 random(7);
  for (int round = 0; round < 2000; ++round) {
    const std::string bytes = Wild(random);
    for (const TextMode mode : {TextMode::kVisible, TextMode::kPlain}) {
      const std::string whole = MakeSafe(mode, bytes);
      for (std::size_t cut = 0; cut <= bytes.size(); ++cut) {
        SafeText text(mode);
        std::string pieces = text.Pass(std::string_view(bytes).substr(0, cut));
        pieces += text.Pass(std::string_view(bytes).substr(cut));
        ASSERT_EQ(pieces + text.Finish(), whole) << cut << " of " << Visible(bytes);
      }
      SafeText text(mode);
      std::string single;
      for (const char byte : bytes) single += text.Pass(std::string_view(&byte, 1));
      ASSERT_EQ(single + text.Finish(), whole) << Visible(bytes);
    }
  }
}

TEST(SafeText, GivesNothingThatActs) {
  std::mt19937 random(11);
  for (int round = 0; round < 5000; ++round) {
    const std::string bytes = Wild(random);
    for (const TextMode mode : {TextMode::kVisible, TextMode::kPlain}) {
      const std::string safe = MakeSafe(mode, bytes);
      ASSERT_TRUE(IsValidUtf8(safe));
      ASSERT_EQ(MakeVisible(safe), safe) << Visible(bytes);
    }
  }
}

TEST(SafeText, HoldsBackNoMoreThanACharacter) {
  SafeText text(TextMode::kVisible);
  EXPECT_EQ(text.Pass("a\xF0\x9F"), "a");
  EXPECT_EQ(text.Pass("\xAB\x99"
                      "b"),
            "🫙b");
  EXPECT_EQ(text.Pass("\xE2"), "");
  EXPECT_EQ(text.Pass("x"), "\\xe2x");
  EXPECT_EQ(text.Pass("\xED\xA0"), "\\xed\\xa0");  // a surrogate can never become a character
}

TEST(SafeText, KnowsItsNames) {
  for (const char* name : {"raw", "visible", "plain"}) {
    ASSERT_TRUE(TextModeNamed(name));
    EXPECT_EQ(TextModeName(*TextModeNamed(name)), name);
  }
  EXPECT_FALSE(TextModeNamed("safe"));
}

}  // namespace
}  // namespace belljar
