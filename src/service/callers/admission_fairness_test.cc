// Tests the order of service when not all runs fit. Runs are named by their callers: "aab" is two
// of a, then one of b.
#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "service/callers/admission.h"
#include "service/callers/fake_clock.h"

namespace belljar::service::callers {
namespace {

using std::chrono::milliseconds;

class AdmissionFairness : public testing::Test {
 protected:
  static constexpr Capacity kOneAtATime = {.runs = 1,
                                           .runs_of_one = 1,
                                           .memory_bytes = 1000,
                                           .memory_of_one = 1000,
                                           .waiting = 6,
                                           .waiting_of_one = 5,
                                           .longest_wait = milliseconds(5'000)};

  // Ending the held runs calls the callbacks of those that still wait, which must happen before the
  // fixture's members are destroyed.
  void TearDown() override { EndAll(); }

  void Use(const Capacity& capacity) {
    admission_ = std::make_unique<Admission>(capacity, clock_.now());
  }
  // Requests a run. A granted ticket is held until End(); a refusal is noted.
  std::uint64_t Ask(char caller, std::uint64_t memory = 0) {
    return admission_->AdmitThen({std::string(1, caller), {Scope::kRun}, Quotas::Unlimited()},
                                 memory, [this, caller](Result<Admission::Ticket> result) {
                                   (result ? begun_ : refused_) += caller;
                                   if (result) held_.push_back(*std::move(result));
                                 });
  }
  // Ends the oldest run. A run that takes its place is held in turn.
  void End() {
    const Admission::Ticket ended = std::move(held_.front());
    held_.pop_front();
  }
  void EndLast() {
    const Admission::Ticket ended = std::move(held_.back());
    held_.pop_back();
  }
  void EndAll() {
    while (!held_.empty()) End();
  }

  FakeClock clock_;
  std::unique_ptr<Admission> admission_ = std::make_unique<Admission>(kOneAtATime, clock_.now());
  std::deque<Admission::Ticket> held_;
  std::string begun_, refused_;
};

TEST_F(AdmissionFairness, CallersTakeTurns) {
  for (const char caller : std::string("aaaabb")) Ask(caller);
  EndAll();
  EXPECT_EQ(begun_, "aababa");
}

TEST_F(AdmissionFairness, ANewcomerDoesNotPassThoseWhoWait) {
  for (const char caller : std::string("abc")) Ask(caller);
  End();
  Ask('d');
  EndAll();
  EXPECT_EQ(begun_, "abcd");
}

TEST_F(AdmissionFairness, TheRunsOfOneCallerGoInOrder) {
  std::vector<int> order;
  std::deque<Admission::Ticket> held;
  for (int i = 0; i < 5; ++i) {
    admission_->AdmitThen({"a", {Scope::kRun}, Quotas::Unlimited()}, 0,
                          [&, i](Result<Admission::Ticket> result) {
                            order.push_back(i);
                            held.push_back(*std::move(result));
                          });
  }
  while (!held.empty()) {
    const Admission::Ticket ended = std::move(held.front());
    held.pop_front();
  }
  EXPECT_EQ(order, (std::vector<int>{0, 1, 2, 3, 4}));
}

TEST_F(AdmissionFairness, NoCallerHoldsEveryPlace) {
  Use({.runs = 4, .runs_of_one = 3});
  for (const char caller : std::string("aaaaa")) Ask(caller);
  EXPECT_EQ(begun_, "aaa");
  Ask('b');
  EXPECT_EQ(begun_, "aaab") << "at once, although others of a wait";
}

TEST_F(AdmissionFairness, AFullLineCostsTheOneWhoFilledItAndNotTheNewcomer) {
  for (const char caller : std::string("aaaaaab")) Ask(caller);
  EXPECT_EQ(refused_, "") << "one runs, six wait";
  Ask('c');
  EXPECT_EQ(refused_, "a");
  Ask('a');
  EXPECT_EQ(refused_, "aa") << "and its own next one is refused itself";
  EndAll();
  EXPECT_EQ(begun_, "aabcaaa");
}

TEST_F(AdmissionFairness, TheLineOfOneCallerIsBoundedByItself) {
  for (const char caller : std::string("aaaaaaa")) Ask(caller);
  EXPECT_EQ(refused_, "a");
  EXPECT_EQ(admission_->load().waiting, 5U);
}

TEST_F(AdmissionFairness, WhoHasWaitedTooLongIsRefusedAndOthersStay) {
  for (const char caller : std::string("aa")) Ask(caller);
  clock_.Pass(milliseconds(3'000));
  Ask('b');
  clock_.Pass(milliseconds(2'000));
  admission_->Expire();
  EXPECT_EQ(refused_, "a");
  EndAll();
  EXPECT_EQ(begun_, "ab");
}

TEST_F(AdmissionFairness, WhoHasGoneAwayIsNeverCalled) {
  Ask('a');
  const std::uint64_t gone = Ask('b');
  Ask('c');
  admission_->Cancel(gone);
  admission_->Cancel(gone);
  admission_->Cancel(12345);
  EndAll();
  EXPECT_EQ(begun_, "ac");
  EXPECT_EQ(refused_, "");
}

TEST_F(AdmissionFairness, NobodyWaitsForAServiceThatIsClosing) {
  for (const char caller : std::string("abb")) Ask(caller);
  admission_->Close();
  EXPECT_EQ(refused_, "bb");
  Ask('c');
  EXPECT_EQ(refused_, "bbc");
  EndAll();
  EXPECT_EQ(begun_, "a");
  const auto session = admission_->AdmitSession({"d", {}, Quotas::Unlimited()}, 0);
  EXPECT_EQ(session.error().kind(), Kind::kUnavailable);
}

TEST_F(AdmissionFairness, SmallRunsPassALargeOneOnlySoOften) {
  Use({.runs = 3, .runs_of_one = 3, .memory_bytes = 1000, .memory_of_one = 1000});
  Ask('s', 600);
  Ask('l', 450);  // does not fit beside it
  std::string expected = "s";
  for (int i = 0; i < Admission::kMaxPassed; ++i) {
    Ask('s', 300);
    EndLast();
    expected += 's';
  }
  EXPECT_EQ(begun_, expected);
  // An equal share is 500 and s holds 600: now s must let l go first.
  Ask('s', 300);
  EXPECT_EQ(begun_, expected);
  End();
  EXPECT_EQ(begun_, expected + "ls");
}

TEST_F(AdmissionFairness, ALargeRunHoldsUpNobodyWithinAnEqualShare) {
  Use({.runs = 3, .runs_of_one = 3, .memory_bytes = 1000, .memory_of_one = 1000});
  Ask('h', 600);
  Ask('l', 900);
  for (int i = 0; i < 3 * Admission::kMaxPassed; ++i) {
    Ask('s', 100);
    EndLast();
  }
  EXPECT_EQ(std::count(begun_.begin(), begun_.end(), 's'), 3 * Admission::kMaxPassed);
  EXPECT_EQ(begun_.find('l'), std::string::npos);
}

TEST_F(AdmissionFairness, ForgetsCallersThatHaveNothing) {
  for (char caller = 'a'; caller <= 'z'; ++caller) {
    Ask(caller);
    EndAll();
  }
  clock_.Pass(std::chrono::minutes(2));
  admission_->Expire();
  EXPECT_EQ(admission_->load().runs, 0U);
  Ask('a');
  EXPECT_EQ(begun_.size(), 27U);
}

TEST_F(AdmissionFairness, NeverExceedsTheCapsUnderManyThreads) {
  Use({.runs = 3, .runs_of_one = 2});
  std::atomic<int> running = 0, most = 0, done = 0;
  const auto work = [&](const std::string& name) {
    for (int i = 0; i < 200; ++i) {
      const auto ticket = admission_->Admit({name, {Scope::kRun}, Quotas::Unlimited()}, 1);
      if (!ticket) continue;
      const int now = ++running;
      for (int seen = most; now > seen && !most.compare_exchange_weak(seen, now);) {
      }
      --running;
      ++done;
    }
  };
  {
    std::vector<std::jthread> threads;
    for (const char* name : {"a", "a", "a", "b", "b", "c"}) threads.emplace_back(work, name);
  }
  EXPECT_LE(most, 3);
  EXPECT_EQ(done, 1200);
  EXPECT_EQ(admission_->load().runs, 0U);
  EXPECT_EQ(admission_->load().memory_bytes, 0U);
}

}  // namespace
}  // namespace belljar::service::callers
