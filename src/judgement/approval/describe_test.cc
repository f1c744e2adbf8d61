#include "judgement/approval/describe.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "foundation/base/text.h"

namespace belljar::judgement::approval {
namespace {

using testing::HasSubstr;
using testing::Not;

Question HostileQuestion() {
  Question question;
  question.id = "ap_1";
  question.caller = "ci";
  question.level = "L4";
  question.lang = "python";
  question.created_ms = question.expires_ms = 1'795'000'000'000;
  question.subject = "import os\r\x1b[2K\x1b[1Aprint('harmless')\n\n\tx = '\u202e\u2066'\n";
  question.reason = "fine\nLevel      L1\n\u009b2J";
  question.risks = {"starts programs\nTouches"};
  question.touches = {"writes /tmp/\u200bx"};
  question.cut_bytes = 12;
  return question;
}

TEST(Describe, ShowsWhatATerminalWouldActOn) {
  EXPECT_EQ(Visible("plain \u00fc\u20ac\U0001f600"), "plain \u00fc\u20ac\U0001f600");
  EXPECT_EQ(Visible("\x1b[31m\x07\x08\r\n\t\x7f"), "\\x1b[31m\\x07\\x08\\x0d\\x0a\\x09\\x7f");
  EXPECT_EQ(Visible("\u0085\u009b"), "\\x85\\x9b");
  EXPECT_EQ(Visible("\u202e\u2066\u200f\u061c\u2028"), "\\u202e\\u2066\\u200f\\u061c\\u2028");
  EXPECT_EQ(Visible("a\u200bb\ufeff\u00ad\u3164"), "a\\u200bb\\ufeff\\xad\\u3164");
  EXPECT_EQ(Visible("\U000e0041"), "\\U000e0041");
  EXPECT_EQ(Visible("\xff\xc3(\xed\xa0\x80"), "\\xff\\xc3(\\xed\\xa0\\x80");
  EXPECT_EQ(Visible(std::string_view("\0", 1)), "\\x00");
}

TEST(Describe, LetsNothingThroughButLinesOfItsOwn) {
  const std::string text = Describe(HostileQuestion());
  EXPECT_TRUE(IsValidUtf8(text));
  for (const char c : text) EXPECT_TRUE(c == '\n' || c < 0 || c >= ' ') << int{c};
  EXPECT_THAT(text, HasSubstr("Code\n  | import os\\x0d\\x1b[2K\\x1b[1Aprint('harmless')\n  | \n"
                              "  |     x = '\\u202e\\u2066'\n"));
  EXPECT_THAT(text, HasSubstr("  | fine\n  | Level      L1\n  | \\x9b2J\n"));
  EXPECT_THAT(text, HasSubstr("  - starts programs\\x0aTouches\n"));
  EXPECT_THAT(text, HasSubstr("  - writes /tmp/\\u200bx\n"));
  EXPECT_THAT(text, HasSubstr("\nLevel      L4\n"));
  EXPECT_THAT(text, Not(HasSubstr("\nLevel      L1")));
  EXPECT_THAT(text, HasSubstr("CUT: 12 more bytes are not shown"));
}

TEST(Describe, SummarizesInOneLine) {
  Question question = HostileQuestion();
  EXPECT_EQ(Summarize(question).find('\n'), std::string::npos);
  question.subject = std::string(59, 'x') + "\u20ac";
  EXPECT_THAT(Summarize(question), HasSubstr("x\\xe2..."));
}

}  // namespace
}  // namespace belljar::judgement::approval
