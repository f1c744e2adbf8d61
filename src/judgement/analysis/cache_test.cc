#include "judgement/analysis/cache.h"

#include <gtest/gtest.h>

namespace belljar::judgement::analysis {
namespace {

TEST(AnalysisCache, ReadsTheSameTextOnce) {
  AnalysisCache cache;
  const auto first = cache.Text(Language::kPython, "import os\n");
  EXPECT_EQ(cache.Text(Language::kPython, "import os\n"), first);
  EXPECT_EQ(cache.counts().made, 1U);
  EXPECT_EQ(cache.counts().found, 1U);
}

TEST(AnalysisCache, TellsLanguagesAndCommandsApart) {
  AnalysisCache cache;
  const auto python = cache.Text(Language::kPython, "ls");
  EXPECT_NE(cache.Text(Language::kBash, "ls"), python);
  const std::vector<std::string> one = {"ab", "c"};
  const std::vector<std::string> other = {"a", "bc"};
  EXPECT_NE(cache.Command(one), cache.Command(other));
}

TEST(AnalysisCache, ForgetsWhatWasUsedLongestAgo) {
  AnalysisCache cache(2);
  static_cast<void>(cache.Text(Language::kPython, "a = 1"));
  static_cast<void>(cache.Text(Language::kPython, "b = 1"));
  static_cast<void>(cache.Text(Language::kPython, "a = 1"));
  static_cast<void>(cache.Text(Language::kPython, "c = 1"));
  static_cast<void>(cache.Text(Language::kPython, "a = 1"));
  EXPECT_EQ(cache.counts().found, 2U);
  static_cast<void>(cache.Text(Language::kPython, "b = 1"));
  EXPECT_EQ(cache.counts().made, 4U);
}

}  // namespace
}  // namespace belljar::judgement::analysis
