#include "http/workers.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <condition_variable>
#include <deque>
#include <functional>
#include <future>
#include <latch>
#include <mutex>
#include <thread>

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
    ASSERT_TRUE(workers.Submit("holder", Span::kBrief, [this] { release_.wait(); }));
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

// However many runs wait for their turn, what takes a moment is done: a list, an interrupt.
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

// A loop whose steps are given to it by the test; an empty one ends it.
class Steps {
 public:
  void Do(std::function<void()> step) {
    const std::lock_guard lock(mutex_);
    steps_.push_back(std::move(step));
    came_.notify_all();
  }
  bool Next() {
    std::unique_lock lock(mutex_);
    came_.wait(lock, [&] { return !steps_.empty(); });
    const auto step = std::move(steps_.front());
    steps_.pop_front();
    lock.unlock();
    if (step) step();
    return static_cast<bool>(step);
  }

 private:
  std::mutex mutex_;
  std::condition_variable came_;
  std::deque<std::function<void()>> steps_;
};

// Two loops and two threads for jobs, which are held until the test lets them go.
class HttpWorkersLoops : public testing::Test {
 protected:
  HttpWorkersLoops() {
    for (Steps& loop : loops_) EXPECT_TRUE(workers_.Tend([&loop] { return loop.Next(); }));
  }
  ~HttpWorkersLoops() override {
    if (!release_.try_wait()) release_.count_down();
    for (Steps& loop : loops_) loop.Do(nullptr);
    workers_.Stop();
  }
  void SubmitIn(Steps& loop) {
    loop.Do([this] {
      EXPECT_TRUE(workers_.Submit("a", Span::kBrief, [this, reader = std::this_thread::get_id()] {
        if (reader == std::this_thread::get_id()) ++run_by_reader_;
        ++running_;
        release_.wait();
      }));
    });
  }

  std::latch release_{1};
  std::atomic<int> running_{0};
  std::atomic<int> run_by_reader_{0};
  std::atomic<int> steps_{0};
  std::array<Steps, 2> loops_;
  Workers workers_{{.threads = 2, .threads_per_caller = 2, .queue = 9, .queue_per_caller = 9}};
};

TEST_F(HttpWorkersLoops, AJobIsRunByTheThreadThatReadIt) {
  SubmitIn(loops_[0]);
  ASSERT_TRUE(Eventually([&] { return run_by_reader_ == 1; }));
  SubmitIn(loops_[0]);
  EXPECT_TRUE(Eventually([&] { return run_by_reader_ == 2; })) << "another tends the loop";
}

TEST_F(HttpWorkersLoops, EachLoopKeepsAThread) {
  for (Steps& loop : loops_) SubmitIn(loop);
  ASSERT_TRUE(Eventually([&] { return running_ == 2; }));
  for (Steps& loop : loops_) SubmitIn(loop);
  ASSERT_TRUE(Eventually([&] { return workers_.waiting() == 2; }));
  for (Steps& loop : loops_) loop.Do([this] { ++steps_; });
  EXPECT_TRUE(Eventually([&] { return steps_ == 2; })) << "no loop waits for the end of a job";
  EXPECT_EQ(running_, 2);
  release_.count_down();
  EXPECT_TRUE(Eventually([&] { return running_ == 4; }));
}

// Jobs of one client, each of which comes when the one before has ended.
class HttpWorkersOneByOne : public HttpWorkersLoops {
 protected:
  // Returns the thread that ran it, when it has ended.
  std::thread::id RunOne(const std::function<void()>& work = [] {}) {
    std::promise<std::thread::id> ended;
    loops_[0].Do([&] {
      const auto job = [&] {
        work();
        ended.set_value(std::this_thread::get_id());
      };
      EXPECT_TRUE(workers_.Submit("a", Span::kLong, job, this));
    });
    return ended.get_future().get();
  }
  // Until so many in a row were run by the same thread.
  bool StayWithOneThread(int jobs) {
    int in_a_row = 0;
    std::thread::id last;
    for (int i = 0; i < 5000 && in_a_row < jobs; ++i) {
      const std::thread::id now = RunOne();
      in_a_row = now == last ? in_a_row + 1 : 0;
      last = now;
    }
    return in_a_row >= jobs;
  }
};

TEST_F(HttpWorkersOneByOne, AreRunByOneThread) { EXPECT_TRUE(StayWithOneThread(50)); }

TEST_F(HttpWorkersOneByOne, ALoopIsNotLeftForLong) {
  ASSERT_TRUE(StayWithOneThread(50));
  std::thread held([this] { RunOne([this] { release_.wait(); }); });
  loops_[0].Do([this] { ++steps_; });
  EXPECT_TRUE(Eventually([&] { return steps_ == 1; })) << "somebody stands by";
  SubmitIn(loops_[0]);
  EXPECT_TRUE(Eventually([&] { return running_ == 1; }));
  release_.count_down();
  held.join();
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
