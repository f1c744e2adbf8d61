#include "foundation/base/result.h"

#include <gtest/gtest.h>

#include <cerrno>

namespace belljar {
namespace {

Result<int> Half(int n) {
  if (n % 2 != 0) return Error(Kind::kInvalid, "odd number");
  return n / 2;
}

Result<int> Quarter(int n) {
  const int half = BJ_TRY(Half(n));
  return BJ_TRY(Half(half));
}

Result<> Nothing(int n) {
  BJ_TRY(Half(n));
  return {};
}

TEST(Result, TryHandsOnTheValue) {
  const auto quarter = Quarter(8);
  ASSERT_TRUE(quarter);
  EXPECT_EQ(*quarter, 2);
}

TEST(Result, TryReturnsTheFirstError) {
  EXPECT_EQ(Quarter(6).error().message(), "odd number");
  EXPECT_FALSE(Nothing(3));
  EXPECT_TRUE(Nothing(4));
}

TEST(Error, WhilePutsThePurposeFirst) {
  const Error error = Error(Kind::kDenied, "mount /proc: no", EPERM).While("start cell");
  EXPECT_EQ(error.message(), "start cell: mount /proc: no");
  EXPECT_EQ(error.sys(), EPERM);
  EXPECT_EQ(error.kind(), Kind::kDenied);
}

TEST(Error, KeepsWhenToTryAgain) {
  const Error error =
      Error(Kind::kExhausted, "full").RetryAfter(std::chrono::seconds(7)).While("start run");
  EXPECT_EQ(error.message(), "start run: full");
  EXPECT_EQ(error.retry_after(), std::chrono::seconds(7));
  EXPECT_EQ(Error(Kind::kExhausted, "full").retry_after(), std::chrono::seconds(0));
}

}  // namespace
}  // namespace belljar
