#include "foundation/base/line_diff.h"

#include <gtest/gtest.h>

namespace belljar {
namespace {

constexpr DiffNames kNames{"a", "b"};

std::string Diff(std::string_view before, std::string_view after) {
  return UnifiedDiff(before, after, kNames);
}

TEST(UnifiedDiff, SaysNothingOfEqualTexts) {
  EXPECT_EQ(Diff("", ""), "");
  EXPECT_EQ(Diff("one\ntwo\n", "one\ntwo\n"), "");
}

TEST(UnifiedDiff, ShowsAChangeWithThreeLinesAround) {
  EXPECT_EQ(Diff("1\n2\n3\n4\n5\n6\n7\n8\n9\n", "1\n2\n3\n4\nfive\n6\n7\n8\n9\n"),
            "--- a\n+++ b\n@@ -2,7 +2,7 @@\n 2\n 3\n 4\n-5\n+five\n 6\n 7\n 8\n");
}

TEST(UnifiedDiff, KeepsChangesFarApartInHunksOfTheirOwn) {
  EXPECT_EQ(Diff("x\n1\n2\n3\n4\n5\n6\n7\n8\ny\n", "1\n2\n3\n4\n5\n6\n7\n8\ny\nz\n"),
            "--- a\n+++ b\n@@ -1,4 +1,3 @@\n-x\n 1\n 2\n 3\n@@ -8,3 +7,4 @@\n 7\n 8\n y\n+z\n");
}

TEST(UnifiedDiff, FindsTheFewestChanges) {
  EXPECT_EQ(Diff("a\nb\nc\na\nb\nb\na\n", "c\nb\na\nb\na\nc\n"),
            "--- a\n+++ b\n@@ -1,7 +1,6 @@\n-a\n-b\n c\n+b\n a\n b\n-b\n a\n+c\n");
}

TEST(UnifiedDiff, TellsOfAMissingLastNewline) {
  EXPECT_EQ(Diff("one\n", "one"),
            "--- a\n+++ b\n@@ -1 +1 @@\n-one\n+one\n\\ No newline at end of file\n");
}

TEST(UnifiedDiff, ShowsWhatIsNewAndWhatIsGone) {
  EXPECT_EQ(Diff("", "one\n"), "--- a\n+++ b\n@@ -0,0 +1 @@\n+one\n");
  EXPECT_EQ(Diff("one\ntwo\n", ""), "--- a\n+++ b\n@@ -1,2 +0,0 @@\n-one\n-two\n");
}

TEST(UnifiedDiff, IsBoundedForTextsWithoutACommonLine) {
  std::string before, after;
  for (int i = 0; i < 100'000; ++i) {
    before += "a" + std::to_string(i) + "\n";
    after += "b" + std::to_string(i) + "\n";
  }
  const std::string diff = Diff(before, after);
  EXPECT_LT(diff.size(), kMaxDiffBytes + 100);
  EXPECT_TRUE(diff.ends_with("(the rest of the differences is left out)\n"));
}

}  // namespace
}  // namespace belljar
