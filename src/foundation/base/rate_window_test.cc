#include "foundation/base/rate_window.h"

#include <gtest/gtest.h>

namespace belljar {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

RateWindow::Time At(double second) {
  return RateWindow::Time(milliseconds(static_cast<std::int64_t>(second * 1000)));
}

TEST(RateWindow, AllowsAsManyAsItSays) {
  RateWindow window;
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(window.WaitFor(3, At(10)), seconds(0));
    window.Count(At(10));
  }
  EXPECT_GT(window.WaitFor(3, At(10)), seconds(0));
}

TEST(RateWindow, NeverLetsMoreThroughInAnySixtySeconds) {
  constexpr std::uint32_t kPerMinute = 7;
  RateWindow window;
  std::deque<double> begun;
  for (double now = 0; now < 400; now += 0.25) {
    if (window.WaitFor(kPerMinute, At(now)) > seconds(0)) continue;
    window.Count(At(now));
    begun.push_back(now);
    while (begun.front() <= now - 60) begun.pop_front();
    ASSERT_LE(begun.size(), kPerMinute) << "at " << now;
  }
}

TEST(RateWindow, SaysWhenItHasRoomAgain) {
  RateWindow window;
  window.Count(At(10.9));
  window.Count(At(30));
  const seconds wait = window.WaitFor(2, At(35));
  EXPECT_EQ(wait, seconds(36));
  EXPECT_GT(window.WaitFor(2, At(35) + wait - milliseconds(1)), seconds(0));
  EXPECT_EQ(window.WaitFor(2, At(35) + wait), seconds(0));
}

TEST(RateWindow, WaitsForSeveralWhenTheQuotaHasShrunk) {
  RateWindow window;
  for (const int second : {10, 20, 30}) window.Count(At(second));
  EXPECT_EQ(window.WaitFor(1, At(40)), seconds(30 + 61 - 40));
}

TEST(RateWindow, ForgetsEverythingInTheEnd) {
  RateWindow window;
  window.Count(At(10));
  EXPECT_FALSE(window.IsEmpty(At(70.9)));
  EXPECT_TRUE(window.IsEmpty(At(71)));
}

}  // namespace
}  // namespace belljar
