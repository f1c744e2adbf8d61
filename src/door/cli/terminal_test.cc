#include "door/cli/terminal.h"

#include <gtest/gtest.h>

namespace belljar::door::cli {
namespace {

TEST(Terminal, LeavesPlainTextAlone) { EXPECT_EQ(MakeVisible("grüße\t漢字\n"), "grüße\t漢字\n"); }

TEST(Terminal, ShowsWhatATerminalWouldActOn) {
  EXPECT_EQ(MakeVisible("\x1b[31mred\r"), "\\x1b[31mred\\x0d");
  EXPECT_EQ(MakeVisible(std::string_view("\0\x7f", 2)), "\\x00\\x7f");
  EXPECT_EQ(MakeVisible("\xC2\x9B"), "\\x9b");        // CSI as one character
  EXPECT_EQ(MakeVisible("\xE2\x80\xAE"), "\\u202e");  // right-to-left override
}

TEST(Terminal, ShowsBadBytesAsReplacementCharacters) {
  EXPECT_EQ(MakeVisible("a\xFFz"), "a\xEF\xBF\xBDz");
}

}  // namespace
}  // namespace belljar::door::cli
