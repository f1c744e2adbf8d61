#include "resource/egress/allowance.h"

#include <gtest/gtest.h>

namespace belljar::resource::egress {
namespace {

using namespace std::chrono_literals;

EgressTerms Terms(std::uint64_t requests, std::uint64_t bytes, std::uint64_t per_minute) {
  EgressTerms terms;
  terms.max_requests = requests;
  terms.max_bytes = bytes;
  terms.requests_per_minute = per_minute;
  return terms;
}

TEST(Allowance, EndsWithItsCalls) {
  Allowance allowance(Terms(2, 100, 1000), {});
  EXPECT_FALSE(allowance.TakeCall({}));
  EXPECT_FALSE(allowance.TakeCall({}));
  const auto refusal = allowance.TakeCall({});
  ASSERT_TRUE(refusal);
  EXPECT_EQ(refusal->status, 429U);
  EXPECT_EQ(refusal->error, "limit-reached");
  EXPECT_EQ(refusal->sentence, "the 2 requests of this cell are used up");
}

TEST(Allowance, EndsWithItsBytes) {
  Allowance allowance(Terms(9, 100, 1000), {});
  EXPECT_TRUE(allowance.TakeBytes(60));
  EXPECT_FALSE(allowance.TakeBytes(41));
  EXPECT_FALSE(allowance.TakeBytes(1)) << "what did not fit has used it up";
  EXPECT_TRUE(allowance.TakeCall({}));
}

TEST(Allowance, FillsUpAgainByTheMinute) {
  Allowance allowance(Terms(1000, 100, 6), {});
  Allowance::Clock::time_point now;
  for (int i = 0; i < 6; ++i) EXPECT_FALSE(allowance.TakeCall(now)) << i;
  EXPECT_TRUE(allowance.TakeCall(now));
  EXPECT_TRUE(allowance.TakeCall(now += 9s));
  EXPECT_FALSE(allowance.TakeCall(now += 2s));
  EXPECT_TRUE(allowance.TakeCall(now));
  now += 1h;
  for (int i = 0; i < 6; ++i) EXPECT_FALSE(allowance.TakeCall(now)) << "no more than a minute's";
  EXPECT_TRUE(allowance.TakeCall(now));
}

}  // namespace
}  // namespace belljar::resource::egress
