#include "door/cli/ending.h"

#include <gtest/gtest.h>

namespace belljar::door::cli {
namespace {

TEST(TextOf, IsWhatAPromptWouldShow) {
  run::RunResult result;
  EXPECT_EQ(TextOf(result), "");
  result.results = {{{"text/html", "<b>x</b>"}, {"text/plain", "x"}}, {{"text/plain", "a\nb\n"}}};
  EXPECT_EQ(TextOf(result), "x\na\nb\n");
}

TEST(TextOf, NamesTheTypesOfWhatHasNoText) {
  run::RunResult result;
  result.results = {{{"image/png", "aGk="}, {"image/svg+xml", "<svg/>"}}, {{"text/plain", 5}}};
  EXPECT_EQ(TextOf(result), "[image/png, image/svg+xml]\n[text/plain]\n");
}

}  // namespace
}  // namespace belljar::door::cli
