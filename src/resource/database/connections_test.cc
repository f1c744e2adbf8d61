#include "resource/database/connections.h"

#include <gtest/gtest.h>

#include <atomic>
#include <optional>
#include <thread>
#include <vector>

namespace belljar::resource::database {
namespace {

using Use = DatabaseConnections::Use;
constexpr std::chrono::milliseconds kNotAtAll{0};
constexpr std::chrono::milliseconds kLong{60'000};

class DatabaseConnectionsTest : public testing::Test {
 protected:
  Result<DatabaseConnections::Turn> Take(Use use, std::chrono::milliseconds patience = kNotAtAll,
                                         const std::string& which = "env:SALES") {
    const DatabaseConnections::Wish wish{"sales", which, 4, use};
    return connections_.Take(wish, patience, stop_.get_token());
  }
  // Takes a slot, which must be free.
  void Hold(Use use) {
    auto turn = Take(use);
    ASSERT_TRUE(turn) << turn.error().message();
    held_.push_back(*std::move(turn));
  }

  DatabaseConnections connections_;
  std::stop_source stop_;
  std::list<DatabaseConnections::Turn> held_;
};

TEST_F(DatabaseConnectionsTest, AreSoManyForAll) {
  for (int i = 0; i < 4; ++i) Hold(Use::kRead);
  const auto one_more = Take(Use::kRead);
  ASSERT_FALSE(one_more);
  EXPECT_EQ(one_more.error().kind(), Kind::kExhausted);
  EXPECT_NE(one_more.error().message().find("the connections to sales"), std::string::npos);
  EXPECT_TRUE(Take(Use::kRead, kNotAtAll, "env:OTHER"));
  held_.pop_front();
  EXPECT_TRUE(Take(Use::kRead));
}

TEST_F(DatabaseConnectionsTest, WritesLeaveHalfOfThemToOthers) {
  Hold(Use::kWrite);
  Hold(Use::kWrite);
  EXPECT_FALSE(Take(Use::kWrite));
  Hold(Use::kRead);
  Hold(Use::kRead);
  held_.pop_front();
  Hold(Use::kWrite);
  EXPECT_FALSE(Take(Use::kRead));
}

TEST_F(DatabaseConnectionsTest, WhoWaitsHasTheNextOne) {
  for (int i = 0; i < 4; ++i) Hold(Use::kRead);
  std::atomic<bool> had = false;
  std::jthread waiter([&] { had = Take(Use::kRead, kLong).operator bool(); });
  held_.pop_front();
  waiter.join();
  EXPECT_TRUE(had);
}

TEST_F(DatabaseConnectionsTest, WhoWaitsIsTakenOutByAStop) {
  for (int i = 0; i < 4; ++i) Hold(Use::kRead);
  std::optional<Kind> why;
  std::jthread waiter([&] { why = Take(Use::kRead, kLong).error().kind(); });
  stop_.request_stop();
  waiter.join();
  EXPECT_EQ(why, Kind::kDenied);
  held_.clear();
  stop_ = std::stop_source();
  for (int i = 0; i < 4; ++i) Hold(Use::kRead);
}

TEST_F(DatabaseConnectionsTest, AllWhoWaitComeToTheirTurn) {
  std::atomic<int> at_once = 0, most = 0, had = 0;
  {
    std::vector<std::jthread> threads;
    for (int i = 0; i < 24; ++i) {
      threads.emplace_back([&, i] {
        const auto turn = Take(i % 2 == 0 ? Use::kRead : Use::kWrite, kLong);
        if (!turn) return;
        const int now = ++at_once;
        for (int seen = most; now > seen && !most.compare_exchange_weak(seen, now);) continue;
        std::this_thread::yield();
        ++had;
        --at_once;
      });
    }
  }
  EXPECT_EQ(had, 24);
  EXPECT_LE(most, 4);
}

}  // namespace
}  // namespace belljar::resource::database
