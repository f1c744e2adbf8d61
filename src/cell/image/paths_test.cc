#include "cell/image/paths.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cell/image/scratch.h"

namespace belljar::cell::image {
namespace {

using testing::ElementsAre;

TEST(InsidePath, IsAbsoluteAndHasNoDots) {
  EXPECT_EQ(InsidePath(""), "/");
  EXPECT_EQ(InsidePath("usr//lib/./x/"), "/usr/lib/x");
  EXPECT_EQ(InsidePath("/usr/bin/../lib"), "/usr/lib");
}

TEST(InsidePath, DotDotAtTheRootStaysAtTheRoot) {
  EXPECT_EQ(InsidePath("/../../etc/passwd"), "/etc/passwd");
  EXPECT_EQ(InsidePath("a/../../.."), "/");
}

TEST(InsidePath, KeepsNamesThatOnlyLookLikeDots) {
  EXPECT_EQ(InsidePath("/...//..a/.b"), "/.../..a/.b");
}

TEST(IsWithin, ComparesWholeComponents) {
  EXPECT_TRUE(IsWithin("/usr/lib", "/usr/lib"));
  EXPECT_TRUE(IsWithin("/usr/lib/x", "/usr/lib"));
  EXPECT_TRUE(IsWithin("/usr", "/"));
  EXPECT_FALSE(IsWithin("/usr/lib64", "/usr/lib"));
}

TEST(Root, FollowsAbsoluteLinksInsideItselfAndNotOnTheHost) {
  const Scratch tree;
  tree.Write("etc/passwd", "the tree's");
  tree.MakeLink("usr/data", "/etc");
  const auto found = Root(tree.path()).FindFile("/usr/data/passwd");
  ASSERT_TRUE(found);
  EXPECT_EQ(found->path, "/etc/passwd");
  EXPECT_THAT(found->links, ElementsAre(Link{"/usr/data", "/etc"}));
}

TEST(Root, CannotBeLeftByDotDotInALink) {
  const Scratch tree;
  tree.MakeLink("up", "../../../../../../../../etc/passwd");
  const auto resolved = Root(tree.path()).Resolve("/up");
  ASSERT_TRUE(resolved);
  EXPECT_EQ(resolved->path, "/etc/passwd");
  EXPECT_FALSE(Root(tree.path()).FindFile("/up")) << "the host's file was found";
}

TEST(Root, AppliesDotDotToWhereALinkHasLed) {
  const Scratch tree;
  tree.Write("far/away/x", "");
  tree.Write("far/y", "");
  tree.MakeLink("near", "far/away");
  const auto found = Root(tree.path()).FindFile("/near/../y");
  ASSERT_TRUE(found);
  EXPECT_EQ(found->path, "/far/y");
}

TEST(Root, ReportsALoopOfLinks) {
  const Scratch tree;
  tree.MakeLink("a", "b");
  tree.MakeLink("b", "a");
  const auto resolved = Root(tree.path()).Resolve("/a/x");
  ASSERT_FALSE(resolved);
  EXPECT_EQ(resolved.error().message(), "/a/x: too many symbolic links");
}

TEST(Root, ListsLinksInTheOrderTheyAreFollowed) {
  const Scratch tree;
  tree.Write("usr/bin/mawk", "");
  tree.MakeLink("bin", "usr/bin");
  tree.MakeLink("usr/bin/awk", "/etc/alternatives/awk");
  tree.MakeLink("etc/alternatives/awk", "/usr/bin/mawk");
  const auto found = Root(tree.path()).FindFile("/bin/awk");
  ASSERT_TRUE(found);
  EXPECT_EQ(found->path, "/usr/bin/mawk");
  EXPECT_THAT(found->links,
              ElementsAre(Link{"/bin", "usr/bin"}, Link{"/usr/bin/awk", "/etc/alternatives/awk"},
                          Link{"/etc/alternatives/awk", "/usr/bin/mawk"}));
}

TEST(Root, FindsNoDirectoryWhereAFileIsAsked) {
  const Scratch tree;
  tree.MakeDir("usr");
  EXPECT_FALSE(Root(tree.path()).FindFile("/usr"));
  EXPECT_TRUE(Root(tree.path()).FindDirectory("/usr"));
}

}  // namespace
}  // namespace belljar::cell::image
