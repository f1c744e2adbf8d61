#include "door/cli/flags_behind_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace belljar::door::cli {
namespace {

using testing::ElementsAreArray;
using Words = std::vector<std::string>;

Words Arranged(Words words) {
  CLI::App command;
  std::string timeout, code;
  bool json = false;
  command.add_option("--timeout", timeout);
  command.add_option("-c", code);
  command.add_flag("--json", json);
  return FlagsFirst(command, std::move(words));
}

TEST(FlagsFirst, TakesOursFromBehindFile) {
  EXPECT_THAT(Arranged({"x.py", "--timeout", "5", "--json", "a"}),
              ElementsAreArray({"--timeout", "5", "--json", "x.py", "a"}));
  EXPECT_THAT(Arranged({"--json", "-", "--timeout=5"}),
              ElementsAreArray({"--json", "--timeout=5", "-"}));
}

TEST(FlagsFirst, LeavesTheProgramWhatFollowsItsFirstWord) {
  for (const Words& words :
       {Words{"x.py", "a", "--timeout", "5"}, Words{"x.py", "--other", "--json"},
        Words{"x.py", "--help"}, Words{"x.py", "-c", "5"}, Words{"x.py"},
        Words{"x.py", "--timeout"}, Words{"-c", "1", "a", "--json"}, Words{"--", "x.py", "--json"},
        Words{}, Words{"--timeout"}, Words{"--timeout", "5"}}) {
    EXPECT_THAT(Arranged(words), ElementsAreArray(words));
  }
}

TEST(FlagsFirst, TwoDashesGiveTheProgramWordsThatLookLikeOurs) {
  EXPECT_THAT(Arranged({"x.py", "--", "--timeout", "5"}),
              ElementsAreArray({"x.py", "--timeout", "5"}));
  EXPECT_THAT(Arranged({"x.py", "--json", "--", "--json"}),
              ElementsAreArray({"--json", "x.py", "--json"}));
}

TEST(WithEmptyValues, KeepsTheNextWordFromBecomingTheValue) {
  CLI::App command;
  std::string timeout;
  bool json = false;
  command.add_option("--timeout", timeout);
  command.add_flag("--json", json);
  const auto split = [&](const Words& words) { return WithEmptyValues(command, words); };
  EXPECT_THAT(split({"--timeout=", "-c", "1"}), ElementsAreArray({"--timeout", "", "-c", "1"}));
  EXPECT_THAT(split({"--json", "--timeout=", "x"}),
              ElementsAreArray({"--json", "--timeout", "", "x"}));
  EXPECT_THAT(split({"--timeout=5", "x"}), ElementsAreArray({"--timeout=5", "x"}));
  EXPECT_THAT(split({"x", "--timeout="}), ElementsAreArray({"x", "--timeout="}));
  EXPECT_THAT(split({"--", "--timeout="}), ElementsAreArray({"--", "--timeout="}));
}

}  // namespace
}  // namespace belljar::door::cli
