#include "foundation/http/server/workers.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <latch>
#include <thread>

#include "foundation/http/server/pace.h"
#include "foundation/http/server/testing.h"

namespace belljar::http::server {
namespace {

using testing::ElementsAre;
using namespace std::chrono_literals;

// A pool with one thread, which is blocked until the test releases it.
class HttpWorkers : public testing::Test {
 protected:
  void Hold(Workers& workers) {
    ASSERT_TRUE(workers.Submit("holder", Span::kBrief, [this] { release_.wait(); }));
    ASSERT_TRUE(Eventually([&] { return workers.waiting() == 0; }));
  }
  Workers::Job Note(const std::string& what) {
    return [this, what] { noted_.push_back(what); };
  }

  std::latch release_{1};
  std::vector<std::string> noted_;  // written by the pool's only thread, read after it has ended
};

TEST_F(HttpWorkers, CallersTakeTurns) {
  Workers workers({.threads = 1, .threads_per_caller = 1, .queue = 10, .queue_per_caller = 10});
  Hold(workers);
  for (const char* job : {"a1", "a2", "a3"})
    ASSERT_TRUE(workers.Submit("a", Span::kBrief, Note(job)));
  for (const char* job : {"b1", "b2"}) ASSERT_TRUE(workers.Submit("b", Span::kBrief, Note(job)));
  release_.count_down();
  ASSERT_TRUE(Eventually([&] { return workers.waiting() == 0; }));
  workers.Stop();
  EXPECT_THAT(noted_, ElementsAre("a1", "b1", "a2", "b2", "a3"));
}

TEST_F(HttpWorkers, TheLineIsBoundedInAllAndPerCaller) {
  Workers workers({.threads = 1, .threads_per_caller = 1, .queue = 3, .queue_per_caller = 2});
  Hold(workers);
  EXPECT_TRUE(workers.Submit("a", Span::kBrief, [] {}));
  EXPECT_TRUE(workers.Submit("a", Span::kBrief, [] {}));
  EXPECT_FALSE(workers.Submit("a", Span::kBrief, [] {})) << "its share is taken";
  EXPECT_TRUE(workers.Submit("b", Span::kBrief, [] {}));
  EXPECT_FALSE(workers.Submit("c", Span::kBrief, [] {})) << "the line is full";
  release_.count_down();
}

TEST_F(HttpWorkers, StopDropsWhatWaits) {
  Workers workers({.threads = 1, .threads_per_caller = 1, .queue = 3, .queue_per_caller = 3});
  Hold(workers);
  ASSERT_TRUE(workers.Submit("a", Span::kBrief, Note("never")));
  std::thread stopper([&] { workers.Stop(); });
  ASSERT_TRUE(Eventually([&] { return workers.waiting() == 0; }));
  release_.count_down();
  stopper.join();
  EXPECT_THAT(noted_, ElementsAre());
  EXPECT_FALSE(workers.Submit("a", Span::kBrief, [] {}));
}

TEST(HttpWorkersMany, OneCallerNeverHasAllThreads) {
  std::latch release(1);
  std::atomic<int> running{0};
  std::atomic<bool> other_ran{false};
  Workers workers({.threads = 3, .threads_per_caller = 2, .queue = 10, .queue_per_caller = 10});
  for (int i = 0; i < 5; ++i) {
    ASSERT_TRUE(workers.Submit("greedy", Span::kBrief, [&] {
      ++running;
      release.wait();
    }));
  }
  ASSERT_TRUE(Eventually([&] { return running == 2; }));
  ASSERT_TRUE(workers.Submit("other", Span::kBrief, [&] { other_ran = true; }));
  EXPECT_TRUE(Eventually([&] { return other_ran.load(); }));
  EXPECT_EQ(running, 2);
  release.count_down();
  EXPECT_TRUE(Eventually([&] { return running == 5; }));
}

// However many long jobs wait, short ones such as a list or an interrupt are served.
TEST(HttpWorkersMany, JobsThatLastLeaveThreadsForThoseThatDoNot) {
  std::latch release(1);
  std::atomic<int> lasting{0};
  std::atomic<int> brief{0};
  Workers workers({.threads = 4,
                   .threads_per_caller = 4,
                   .queue = 10,
                   .queue_per_caller = 10,
                   .long_threads = 3,
                   .long_threads_per_caller = 2});
  for (const char* caller : {"a", "a", "a", "b", "b", "b"}) {
    ASSERT_TRUE(workers.Submit(caller, Span::kLong, [&] {
      ++lasting;
      release.wait();
    }));
  }
  ASSERT_TRUE(Eventually([&] { return lasting == 3; }));
  for (const char* caller : {"a", "b", "c"}) {
    ASSERT_TRUE(workers.Submit(caller, Span::kBrief, [&] { ++brief; }));
  }
  EXPECT_TRUE(Eventually([&] { return brief == 3; }));
  EXPECT_EQ(lasting, 3);
  release.count_down();
  EXPECT_TRUE(Eventually([&] { return lasting == 6; }));
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
}  // namespace belljar::http::server
