#include "service/traceparent.h"

#include <gtest/gtest.h>

#include <string>

namespace belljar::service {
namespace {

const std::string kGood = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";

TEST(Traceparent, TheFormOfVersion00IsTaken) { EXPECT_TRUE(IsTraceparent(kGood)); }

TEST(Traceparent, AnythingElseIsNot) {
  EXPECT_FALSE(IsTraceparent(""));
  EXPECT_FALSE(IsTraceparent(kGood + "0"));
  EXPECT_FALSE(IsTraceparent("01" + kGood.substr(2)));
  EXPECT_FALSE(IsTraceparent("00-0AF7651916CD43DD8448EB211C80319C-b7ad6b7169203331-01"));
  EXPECT_FALSE(IsTraceparent("00-" + std::string(32, '0') + "-b7ad6b7169203331-01"));
  EXPECT_FALSE(
      IsTraceparent("00-0af7651916cd43dd8448eb211c80319c-" + std::string(16, '0') + "-01"));
}

}  // namespace
}  // namespace belljar::service
