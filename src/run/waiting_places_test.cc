#include "run/waiting_places.h"

#include <gtest/gtest.h>

#include <vector>

namespace belljar::run {
namespace {

class WaitingPlacesTest : public testing::Test {
 protected:
  // The error message if no place is free; else empty.
  std::string WhyNot(const std::string& caller) {
    auto place = places_.Take(caller);
    if (!place) return place.error().message();
    taken_.push_back(*std::move(place));
    return "";
  }

  WaitingPlaces places_;
  std::vector<WaitingPlaces::Place> taken_;
};

TEST_F(WaitingPlacesTest, OneCallerDoesNotTakeThoseOfAll) {
  taken_.reserve(WaitingPlaces::kMost);
  for (std::size_t i = 0; i < WaitingPlaces::kMostOfOne; ++i) EXPECT_EQ(WhyNot("greedy"), "");
  EXPECT_EQ(WhyNot("greedy"), "16 calls of greedy are waiting for people already, and no more may");
  EXPECT_EQ(WhyNot("modest"), "");
  taken_.clear();
  EXPECT_EQ(WhyNot("greedy"), "");
}

TEST_F(WaitingPlacesTest, AllTogetherHaveSoMany) {
  taken_.reserve(WaitingPlaces::kMost);
  for (std::size_t i = 0; i < WaitingPlaces::kMost; ++i) {
    EXPECT_EQ(WhyNot("caller " + std::to_string(i)), "");
  }
  EXPECT_EQ(WhyNot("one more"), "40 calls are waiting for people already, and no more may");
  taken_.pop_back();
  EXPECT_EQ(WhyNot("one more"), "");
}

}  // namespace
}  // namespace belljar::run
