#include "foundation/base/glob.h"

#include <gtest/gtest.h>

#include <string>

namespace belljar {
namespace {

TEST(Glob, MatchesNamesPartByPart) {
  for (const auto& [pattern, path] : {std::pair{"a.txt", "a.txt"},
                                      {"*.csv", "a.csv"},
                                      {"*.csv", ".csv"},
                                      {"a*b*c", "aXbYbZc"},
                                      {"out/*", "out/x"},
                                      {"?", "é"},
                                      {"a?c", "a漢c"},
                                      {"*", "a"},
                                      {"*/b", "a/b"}}) {
    EXPECT_TRUE(GlobMatches(pattern, path)) << pattern << " " << path;
  }
  for (const auto& [pattern, path] : {std::pair{"a.txt", "b.txt"},
                                      {"*.csv", "d/a.csv"},
                                      {"out/*", "out"},
                                      {"out/*", "out/a/b"},
                                      {"?", ""},
                                      {"?", "ab"},
                                      {"a*b", "aXc"},
                                      {"A", "a"},
                                      {"a", "a/a"},
                                      {"", "a"}}) {
    EXPECT_FALSE(GlobMatches(pattern, path)) << pattern << " " << path;
  }
}

TEST(Glob, TwoStarsAreAnyNumberOfNames) {
  EXPECT_TRUE(GlobMatches("**", "a/b/c"));
  EXPECT_TRUE(GlobMatches("out/**", "out/a/b"));
  EXPECT_TRUE(GlobMatches("out/**", "out"));
  EXPECT_TRUE(GlobMatches("**/x.py", "x.py"));
  EXPECT_TRUE(GlobMatches("**/x.py", "a/b/x.py"));
  EXPECT_TRUE(GlobMatches("a/**/b/**/c", "a/x/b/c"));
  EXPECT_FALSE(GlobMatches("out/**", "outer/a"));
  EXPECT_FALSE(GlobMatches("a/**/c", "a/b/d"));
  EXPECT_FALSE(GlobMatches("**", "/vault/data/x"));
  EXPECT_TRUE(GlobMatches("/vault/data/**", "/vault/data/x"));
}

TEST(Glob, TakesNoTimeToSayNo) {
  std::string pattern;
  for (int i = 0; i < 100; ++i) pattern += "*a";
  EXPECT_FALSE(GlobMatches(pattern + "b", std::string(10'000, 'a')));
  std::string parts;
  for (int i = 0; i < 15; ++i) parts += "**/*a*/";
  std::string path;
  for (int i = 0; i < 31; ++i) path += "aaaa/";
  EXPECT_FALSE(GlobMatches(parts + "b", path + "c"));
}

}  // namespace
}  // namespace belljar
