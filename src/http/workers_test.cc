#include "http/workers.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <latch>

#include "http/pace.h"
#include "http/testing.h"

namespace belljar::http {
namespace {

using testing::ElementsAre;
using namespace std::chrono_literals;

// A pool with one thread, which is held until the test lets it go.
class HttpWorkers : public testing::Test {
 protected:
  void Hold(Workers& workers) {
    ASSERT_TRUE(workers.Submit("holder", [this] { release_.wait(); }));
    ASSERT_TRUE(Eventually([&] { return workers.waiting() == 0; }));
  }
  Workers::Job Note(const std::string& what) {
    return [this, what] { noted_.push_back(what); };
  }

  std::latch release_{1};
  std::vector<std::string> noted_;  // by the one thread, read after it has ended
};

TEST_F(HttpWorkers, CallersTakeTurns) {
  Workers workers({.threads = 1, .threads_per_caller = 1, .queue = 10, .queue_per_caller = 10});
  Hold(workers);
  for (const char* job : {"a1", "a2", "a3"}) ASSERT_TRUE(workers.Submit("a", Note(job)));
  for (const char* job : {"b1", "b2"}) ASSERT_TRUE(workers.Submit("b", Note(job)));
  release_.count_down();
  ASSERT_TRUE(Eventually([&] { return workers.waiting() == 0; }));
  workers.Stop();
  EXPECT_THAT(noted_, ElementsAre("a1", "b1", "a2", "b2", "a3"));
}

TEST_F(HttpWorkers, TheLineIsBoundedInAllAndPerCaller) {
  Workers workers({.threads = 1, .threads_per_caller = 1, .queue = 3, .queue_per_caller = 2});
  Hold(workers);
  EXPECT_TRUE(workers.Submit("a", [] {}));
  EXPECT_TRUE(workers.Submit("a", [] {}));
  EXPECT_FALSE(workers.Submit("a", [] {})) << "its share is taken";
  EXPECT_TRUE(workers.Submit("b", [] {}));
  EXPECT_FALSE(workers.Submit("c", [] {})) << "the line is full";
  release_.count_down();
}

TEST_F(HttpWorkers, StopDropsWhatWaits) {
  Workers workers({.threads = 1, .threads_per_caller = 1, .queue = 3, .queue_per_caller = 3});
  Hold(workers);
  ASSERT_TRUE(workers.Submit("a", Note("never")));
  std::thread stopper([&] { workers.Stop(); });
  ASSERT_TRUE(Eventually([&] { return workers.waiting() == 0; }));
  release_.count_down();
  stopper.join();
  EXPECT_THAT(noted_, ElementsAre());
  EXPECT_FALSE(workers.Submit("a", [] {}));
}

TEST(HttpWorkersMany, OneCallerNeverHasAllThreads) {
  std::latch release(1);
  std::atomic<int> running{0};
  std::atomic<bool> other_ran{false};
  Workers workers({.threads = 3, .threads_per_caller = 2, .queue = 10, .queue_per_caller = 10});
  for (int i = 0; i < 5; ++i) {
    ASSERT_TRUE(workers.Submit("greedy", [&] {
      ++running;
      release.wait();
    }));
  }
  ASSERT_TRUE(Eventually([&] { return running == 2; }));
  ASSERT_TRUE(workers.Submit("other", [&] { other_ran = true; }));
  EXPECT_TRUE(Eventually([&] { return other_ran.load(); }));
  EXPECT_EQ(running, 2);
  release.count_down();
  EXPECT_TRUE(Eventually([&] { return running == 5; }));
}

TEST(HttpPace, LastsAsLongAsBytesComeFastEnough) {
  Pace pace(1s, 100);
  pace.Waited(900ms);
  EXPECT_EQ(pace.Left(), 100ms);
  pace.Got(50);
  EXPECT_EQ(pace.Left(), 600ms);
  pace.Waited(700ms);
  EXPECT_LT(pace.Left(), 0ms);
}

}  // namespace
}  // namespace belljar::http
