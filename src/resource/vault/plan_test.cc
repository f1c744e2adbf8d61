#include "resource/vault/plan.h"

#include <gtest/gtest.h>

namespace belljar::resource::vault {
namespace {

using Paths = std::vector<std::string>;

Node File(std::uint8_t content, mode_t mode = 0644) {
  Node node;
  node.mode = mode;
  node.size = 1;
  node.digest[0] = content;
  return node;
}
Node Dir() {
  Node node;
  node.kind = NodeKind::kDirectory;
  return node;
}
Node Link(const std::string& target) {
  Node node;
  node.kind = NodeKind::kLink;
  node.target = target;
  return node;
}

TEST(Plan, OfEqualTreesIsEmpty) {
  const Tree tree = {{"d", Dir()}, {"d/f", File(1)}, {"l", Link("d")}};
  EXPECT_TRUE(Compare(tree, tree).empty());
}

TEST(Plan, TellsWhatCameChangedAndWent) {
  const Tree before = {{"a", File(1)}, {"b", File(1)}, {"d", Dir()}, {"d/x", File(1)}};
  const Tree after = {{"a", File(2)}, {"c", File(1)}, {"e", Dir()}, {"e/y", Link("../c")}};
  const Plan plan = Compare(before, after);
  EXPECT_EQ(plan.changes.created, (Paths{"c", "e/", "e/y"}));
  EXPECT_EQ(plan.changes.changed, (Paths{"a"}));
  EXPECT_EQ(plan.changes.deleted, (Paths{"b", "d/", "d/x"}));
  EXPECT_EQ(plan.remove, (Paths{"d/x", "b"}));
  EXPECT_EQ(plan.remove_dirs, (Paths{"d"}));
  EXPECT_EQ(plan.make_dirs, (Paths{"e"}));
  EXPECT_EQ(plan.place, (Paths{"a", "c", "e/y"}));
}

TEST(Plan, OfModesCarriesOnlyTheOwnersRightToExecute) {
  const Tree before = {{"f", File(1, 0640)}};
  EXPECT_TRUE(Compare(before, {{"f", File(1, 0666)}}).empty());
  EXPECT_EQ(Compare(before, {{"f", File(1, 0740)}}).place, Paths{"f"});
}

TEST(Plan, AFileThatBecomesADirectoryGoesAndComes) {
  const Plan plan = Compare({{"p", File(1)}}, {{"p", Dir()}, {"p/x", File(2)}});
  EXPECT_EQ(plan.remove, Paths{"p"});
  EXPECT_EQ(plan.make_dirs, Paths{"p"});
  EXPECT_EQ(plan.place, Paths{"p/x"});
}

TEST(Plan, ADirectoryThatBecomesALinkGoesWithAllItHeld) {
  const Plan plan = Compare({{"p", Dir()}, {"p/x", File(2)}}, {{"p", Link("q")}});
  EXPECT_EQ(plan.remove, Paths{"p/x"});
  EXPECT_EQ(plan.remove_dirs, Paths{"p"});
  EXPECT_EQ(plan.place, Paths{"p"});
}

TEST(Plan, NewContentWaitsInADirectoryThatWasThereAndStays) {
  const Tree before = {{"d", Dir()}, {"f", File(1)}};
  const Tree after = {{"d", Dir()}, {"d/e", Dir()}, {"d/e/x", File(1)}, {"f", Dir()}};
  EXPECT_EQ(WaitingPlace(before, after, "d/e/x"), "d");
  EXPECT_EQ(WaitingPlace(before, after, "f/y"), "");
  EXPECT_EQ(WaitingPlace(before, after, "d/z"), "d");
}

std::string LinkVerdict(const std::string& path, const std::string& target) {
  const Tree after = {{path, Link(target)}};
  const auto checked = CheckLinks(Compare({}, after), after);
  return checked ? "" : checked.error().message();
}

TEST(Plan, LinksThatStayInsideAreCarriedOut) {
  for (const char* target : {"x", "x/y", "./x", "../x", "../../x", ".", "..", "x//y/"}) {
    EXPECT_EQ(LinkVerdict("a/b/l", target), "") << target;
  }
}

TEST(Plan, LinksThatLeaveOrMightLeaveAreRefusedByName) {
  EXPECT_EQ(LinkVerdict("l", "/etc"),
            R"(the link "l" to "/etc" is not carried out: it is absolute)");
  EXPECT_EQ(LinkVerdict("a/l", "../../x"),
            R"(the link "a/l" to "../../x" is not carried out: it leaves the vault)");
  for (const char* target : {"..", "../x", "x/../y", "x/../../y", "./../x"}) {
    EXPECT_NE(LinkVerdict("l", target), "") << target;
  }
}

TEST(Plan, LinksOfTheHostsOwnAreLeftAlone) {
  const Tree tree = {{"l", Link("/etc")}};
  EXPECT_TRUE(CheckLinks(Compare(tree, tree), tree));
}

}  // namespace
}  // namespace belljar::resource::vault
