#include "service/callers/admission.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <future>
#include <thread>

#include "service/callers/fake_clock.h"

namespace belljar::service::callers {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using testing::HasSubstr;
using Ticket = Admission::Ticket;

constexpr Capacity kSmall = {.runs = 4,
                             .runs_of_one = 3,
                             .runs_beside_others = 3,
                             .sessions = 3,
                             .memory_bytes = 1000,
                             .memory_of_one = 900,
                             .waiting = 6,
                             .waiting_of_one = 4,
                             .longest_wait = milliseconds(5'000)};

class AdmissionTest : public testing::Test {
 protected:
  static Caller Somebody(const std::string& name, Quotas quotas = Quotas::Unlimited()) {
    return {name, {Scope::kRun}, quotas};
  }
  // Acquires tickets for `caller` that are held until the end of the test.
  void Hold(const Caller& caller, int count) {
    for (int i = 0; i < count; ++i) {
      auto ticket = admission_.Admit(caller, 0);
      ASSERT_TRUE(ticket) << ticket.error().message();
      held_.push_back(*std::move(ticket));
    }
  }

  FakeClock clock_;
  Admission admission_{kSmall, clock_.now()};
  std::vector<Ticket> held_;
};

TEST_F(AdmissionTest, GivesBackWhatATicketHeld) {
  {
    const auto ticket = admission_.Admit(Somebody("a"), 100);
    ASSERT_TRUE(ticket);
    EXPECT_EQ(admission_.load().runs, 1U);
    EXPECT_EQ(admission_.load().memory_bytes, 100U);
  }
  EXPECT_EQ(admission_.load().runs, 0U);
  EXPECT_EQ(admission_.load().memory_bytes, 0U);
}

TEST_F(AdmissionTest, TellsHowManyRunsOfTheCallerThereAre) {
  std::optional<Ticket> first = *admission_.Admit(Somebody("a"), 0);
  const auto second = admission_.Admit(Somebody("a"), 0);
  const auto other = admission_.Admit(Somebody("b"), 0);
  EXPECT_EQ(first->runs_of_caller(), 1U);
  EXPECT_EQ(second->runs_of_caller(), 2U);
  EXPECT_EQ(other->runs_of_caller(), 1U);
  first.reset();
  EXPECT_EQ(admission_.Admit(Somebody("a"), 0)->runs_of_caller(), 2U);
}

TEST_F(AdmissionTest, GivesFewerPlacesWhileOthersAreAbout) {
  Capacity capacity = kSmall;
  capacity.runs_beside_others = 1;
  Admission admission(capacity, clock_.now());
  std::vector<Ticket> runs;
  const auto come = [&](Result<Ticket> ticket) { runs.push_back(*std::move(ticket)); };
  { const auto other = admission.Admit(Somebody("b"), 0); }
  for (int i = 0; i < 3; ++i) admission.AdmitThen(Somebody("a"), 0, come);
  EXPECT_EQ(runs.size(), 1U) << "b may come again";
  EXPECT_TRUE(admission.Admit(Somebody("b"), 0)) << "and finds a place";
  clock_.Pass(seconds(1));
  admission.Expire();
  EXPECT_EQ(runs.size(), 3U) << "it did not";
}

TEST_F(AdmissionTest, OneThatStandsAsideLeavesItsPlaceAndTakesItAgain) {
  Hold(Somebody("a"), kSmall.runs_of_one);
  Hold(Somebody("b"), kSmall.runs - kSmall.runs_of_one);
  std::optional<Result<Ticket>> came;
  admission_.AdmitThen(Somebody("a"), 0, [&](Result<Ticket> result) { came = std::move(result); });
  EXPECT_FALSE(came);
  std::shared_ptr<void> aside = held_.front().StandAside();
  std::shared_ptr<void> again = held_.front().StandAside();
  ASSERT_TRUE(came && *came) << "its place is another's";
  EXPECT_EQ(admission_.load().runs, kSmall.runs + 1) << "both are under way";
  aside.reset();
  came.reset();
  EXPECT_EQ(admission_.load().runs, kSmall.runs);
  std::optional<Result<Ticket>> next;
  const auto number = admission_.AdmitThen(
      Somebody("c"), 0, [&](Result<Ticket> result) { next = std::move(result); });
  ASSERT_TRUE(next) << "it still stands aside for its second call";
  next.reset();
  again.reset();
  admission_.AdmitThen(Somebody("c"), 0, [&](Result<Ticket> result) { next = std::move(result); });
  EXPECT_FALSE(next) << "it has taken its place again";
  admission_.Cancel(number + 1);
}

TEST_F(AdmissionTest, OneThatStandsAsideCountsForItsCallersQuota) {
  Quotas one = Quotas::Unlimited();
  one.concurrent_runs = 1;
  Hold(Somebody("a", one), 1);
  const std::shared_ptr<void> aside = held_.front().StandAside();
  const auto second = admission_.Admit(Somebody("a", one), 0);
  ASSERT_FALSE(second);
  EXPECT_EQ(second.error().kind(), Kind::kExhausted);
}

TEST_F(AdmissionTest, GivesBackOnceWhenATicketIsMoved) {
  std::optional<Ticket> first = *admission_.Admit(Somebody("a"), 100);
  std::optional<Ticket> second = *admission_.Admit(Somebody("a"), 50);
  *first = *std::move(second);
  EXPECT_EQ(admission_.load().memory_bytes, 50U);
  second.reset();
  EXPECT_EQ(admission_.load().memory_bytes, 50U);
  first.reset();
  EXPECT_EQ(admission_.load().runs, 0U);
}

TEST_F(AdmissionTest, RefusesAtOnceBeyondTheCallersRuns) {
  const Caller caller = Somebody("a", {.concurrent_runs = 2});
  Hold(caller, 2);
  const auto refused = admission_.Admit(caller, 0);
  EXPECT_EQ(refused.error().kind(), Kind::kExhausted);
  EXPECT_EQ(refused.error().message(), "caller a has 2 runs at once, its quota; try again in 1 s");
  EXPECT_EQ(refused.error().retry_after(), seconds(1));
  EXPECT_TRUE(admission_.Admit(Somebody("b"), 0)) << "it is nobody else's quota";
  held_.pop_back();
  EXPECT_TRUE(admission_.Admit(caller, 0));
}

TEST_F(AdmissionTest, RefusesAtOnceBeyondTheCallersMemory) {
  const Caller caller = Somebody("a", {.memory_bytes = 500});
  const auto first = admission_.Admit(caller, 300);
  const auto refused = admission_.Admit(caller, 201);
  EXPECT_EQ(refused.error().kind(), Kind::kExhausted);
  EXPECT_THAT(refused.error().message(), HasSubstr("holds 300 of its 500 bytes"));
  EXPECT_TRUE(admission_.Admit(caller, 200));
}

TEST_F(AdmissionTest, DeniesWhatCouldNeverBegin) {
  const auto kind = [&](const Quotas& quotas, std::uint64_t memory) {
    const auto admitted = admission_.Admit(Somebody("a", quotas), memory);
    return admitted ? Kind::kInternal : admitted.error().kind();
  };
  EXPECT_EQ(kind({.memory_bytes = 500}, 501), Kind::kDenied);
  EXPECT_EQ(kind(Quotas::Unlimited(), 901), Kind::kDenied);
  EXPECT_EQ(kind({.concurrent_runs = 0}, 0), Kind::kDenied);
  EXPECT_EQ(kind({.runs_per_minute = 0}, 0), Kind::kDenied);
  EXPECT_EQ(admission_.load().runs, 0U);
}

TEST_F(AdmissionTest, HoldsTheRateAndSaysWhenToComeAgain) {
  const Caller caller = Somebody("a", {.runs_per_minute = 2});
  EXPECT_TRUE(admission_.Admit(caller, 0));
  clock_.Pass(seconds(10));
  EXPECT_TRUE(admission_.Admit(caller, 0));
  const auto refused = admission_.Admit(caller, 0);
  EXPECT_EQ(refused.error().kind(), Kind::kExhausted);
  EXPECT_EQ(refused.error().retry_after(), seconds(51));
  EXPECT_THAT(refused.error().message(),
              HasSubstr("within a minute, its quota; try again in 51 s"));
  clock_.Pass(refused.error().retry_after());
  EXPECT_TRUE(admission_.Admit(caller, 0));
}

TEST_F(AdmissionTest, DoesNotCountARefusalAsARun) {
  const Caller caller = Somebody("a", {.concurrent_runs = 1, .runs_per_minute = 2});
  Hold(caller, 1);
  for (int i = 0; i < 10; ++i) EXPECT_FALSE(admission_.Admit(caller, 0));
  held_.clear();
  EXPECT_TRUE(admission_.Admit(caller, 0));
}

TEST_F(AdmissionTest, LetsAWaitingThreadInWhenThereIsRoom) {
  Hold(Somebody("a"), 3);
  Hold(Somebody("b"), 1);
  auto waiting = std::async(std::launch::async,
                            [&] { return admission_.Admit(Somebody("c"), 0).operator bool(); });
  while (admission_.load().waiting == 0) std::this_thread::yield();
  held_.pop_back();
  EXPECT_TRUE(waiting.get());
}

TEST_F(AdmissionTest, RefusesAThreadThatHasWaitedTooLong) {
  Hold(Somebody("a"), 3);
  Hold(Somebody("b"), 1);
  auto waiting = std::async(std::launch::async, [&] { return admission_.Admit(Somebody("c"), 0); });
  while (admission_.load().waiting == 0) std::this_thread::yield();
  clock_.Pass(kSmall.longest_wait);
  admission_.Expire();
  const auto refused = waiting.get();
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().kind(), Kind::kExhausted);
  EXPECT_THAT(refused.error().message(), HasSubstr("taken for too long; try again in"));
  EXPECT_EQ(admission_.load().waiting, 0U);
}

TEST_F(AdmissionTest, EstimatesByTheTimeThatRunsTake) {
  const Caller caller = Somebody("a", {.concurrent_runs = 1, .runs_per_minute = 1000});
  for (int i = 0; i < 60; ++i) {
    const auto ticket = admission_.Admit(caller, 0);
    clock_.Pass(seconds(40));
  }
  Hold(caller, 1);
  // 40 s divided by four concurrent runs.
  EXPECT_EQ(admission_.Admit(caller, 0).error().retry_after(), seconds(10));
}

TEST_F(AdmissionTest, BoundsSessionsAndTheirMemory) {
  const Caller caller = Somebody("a", {.sessions = 2, .memory_bytes = 500});
  auto first = admission_.AdmitSession(caller, 300);
  ASSERT_TRUE(first);
  EXPECT_EQ(admission_.AdmitSession(caller, 201).error().kind(), Kind::kExhausted);
  const auto second = admission_.AdmitSession(caller, 200);
  ASSERT_TRUE(second);
  const auto third = admission_.AdmitSession(caller, 0);
  EXPECT_EQ(third.error().message(),
            "caller a has 2 sessions, its quota; end a session, or try again later");
  EXPECT_GT(third.error().retry_after(), seconds(0));
  EXPECT_EQ(admission_.AdmitSession(Somebody("b", {.sessions = 0}), 0).error().kind(),
            Kind::kDenied);
  const auto last = admission_.AdmitSession(Somebody("b"), 0);
  EXPECT_EQ(admission_.AdmitSession(Somebody("c"), 0).error().kind(), Kind::kExhausted)
      << "three are all the machine has";
}

TEST_F(AdmissionTest, CountsTheMemoryOfSessionsForRuns) {
  const Caller caller = Somebody("a", {.memory_bytes = 500});
  const auto session = admission_.AdmitSession(caller, 400);
  ASSERT_TRUE(session);
  EXPECT_FALSE(admission_.Admit(caller, 101));
  EXPECT_TRUE(admission_.Admit(caller, 0)) << "a run in the session needs none of its own";
}

}  // namespace
}  // namespace belljar::service::callers
