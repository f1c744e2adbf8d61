#include "resource/skill/health.h"

#include <gtest/gtest.h>

namespace belljar::resource::skill {
namespace {

TEST(SkillHealth, IsKnownFromFiveRunsOn) {
  EXPECT_FALSE(IsUnhealthy(0, 4, 500));
  EXPECT_TRUE(IsUnhealthy(0, 5, 500));
  EXPECT_TRUE(IsUnhealthy(2, 5, 500));
  EXPECT_FALSE(IsUnhealthy(3, 5, 500));
}

TEST(SkillHealth, IsUnhealthyBelowTheThresholdAndNotAtIt) {
  EXPECT_FALSE(IsUnhealthy(10, 20, 500));
  EXPECT_TRUE(IsUnhealthy(9, 20, 500));
  EXPECT_TRUE(IsUnhealthy(19, 20, 1000));
  EXPECT_FALSE(IsUnhealthy(20, 20, 1000));
  EXPECT_FALSE(IsUnhealthy(0, 20, 0));
}

TEST(SkillHealth, TakesPercentilesByNearestRank) {
  EXPECT_EQ(PercentileMs({}, 50), std::nullopt);
  EXPECT_EQ(PercentileMs({3000}, 50), 3);
  EXPECT_EQ(PercentileMs({3000}, 95), 3);
  EXPECT_EQ(PercentileMs({4000, 1000, 3000, 2000}, 50), 2);
  EXPECT_EQ(PercentileMs({4000, 1000, 3000, 2000}, 95), 4);
}

TEST(SkillHealth, SaysNothingOfWhatIsNotKnown) {
  const json::object told = ToJson(Stats());
  EXPECT_TRUE(told.at("success_rate").is_null());
  EXPECT_TRUE(told.at("p95_ms").is_null());
  EXPECT_TRUE(told.at("last_run").is_null());
}

}  // namespace
}  // namespace belljar::resource::skill
