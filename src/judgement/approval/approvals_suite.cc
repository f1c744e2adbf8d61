#include "judgement/approval/approvals_suite.h"

#include <set>

namespace belljar::judgement::approval {
namespace {

using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::steady_clock;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

TEST_P(ApprovalsTest, KeepsAQuestionAsItWasAskedAcrossARestart) {
  const Question asked = first_->Ask(Sample())->question;
  EXPECT_EQ(asked.expires_ms, clock_.now_ms() + 600'000);
  first_ = {};
  second_ = {};
  const Opened later = Open();
  const auto shown = later->Show(asked.id, Viewer::Everything());
  ASSERT_TRUE(shown) << shown.error().message();
  EXPECT_EQ(*shown, asked);
  EXPECT_EQ(shown->state, State::kWaiting);
  EXPECT_THAT(shown->risks, ElementsAre("reads files outside the workspace", "starts programs"));
  ASSERT_TRUE(later->Approve(asked.id, Yes()));
  const auto redeemed = Open()->Redeem("ci", asked.digest, "s-1");
  ASSERT_TRUE(redeemed && redeemed->has_value());
  EXPECT_EQ((*redeemed)->id, asked.id);
}

TEST_P(ApprovalsTest, GivesTheQuestionThatWaitsAlreadyToWhoAsksAgain) {
  const auto first = first_->Ask(Sample());
  NewQuestion again = Sample();
  again.reason = "please";
  const auto second = second_->Ask(again);
  EXPECT_TRUE(first->is_new);
  EXPECT_FALSE(second->is_new);
  EXPECT_EQ(second->question, first->question);
  std::set<std::string> ids = {first->question.id};
  for (const auto& change : std::vector<std::function<void(NewQuestion&)>>{
           [](NewQuestion& q) { q.caller = "other"; }, [](NewQuestion& q) { q.digest[0] = 'b'; },
           [](NewQuestion& q) { q.session = "s-2"; }}) {
    NewQuestion other = Sample();
    change(other);
    ids.insert(Ask(other));
  }
  EXPECT_EQ(ids.size(), 4U);
}

TEST_P(ApprovalsTest, AsksAnewWhenTheSameRequestWouldBeShownDifferently) {
  const std::string id = Ask(Sample());
  NewQuestion graver = Sample();
  graver.level = "L4";
  const auto asked = first_->Ask(graver);
  ASSERT_TRUE(asked && asked->is_new);
  EXPECT_NE(asked->question.id, id);
  EXPECT_EQ(StateOf(id), State::kCancelled);
  EXPECT_EQ(FailureOf(first_->Approve(id, Yes())), Kind::kInvalid);
  const auto ended = first_->Expire();
  ASSERT_EQ(ended->size(), 1U);
  EXPECT_THAT(ended->front().answer->note, HasSubstr(asked->question.id));
}

TEST_P(ApprovalsTest, OfTwoProcessesThatAskTheSameOneQuestionComes) {
  std::atomic<int> is_new = 0;
  const auto ask = [&](const Opened& opened) {
    const auto asked = opened->Ask(Sample());
    EXPECT_TRUE(asked) << asked.error().message();
    return asked && asked->is_new;
  };
  is_new = Race(
      4, [&](int) { return ask(first_); }, [&](int) { return ask(second_); });
  EXPECT_EQ(is_new, 1);
  EXPECT_EQ(first_->List({}, Viewer::Everything())->size(), 1U);
}

TEST_P(ApprovalsTest, ExpiresWhatNobodyAnsweredAndTellsItOnce) {
  const std::string id = Ask(Sample());
  clock_.Pass(minutes(10) - milliseconds(1));
  EXPECT_THAT(*first_->Expire(), IsEmpty());
  clock_.Pass(milliseconds(1));
  const auto expired = first_->Expire();
  ASSERT_EQ(expired->size(), 1U);
  EXPECT_EQ(expired->front().id, id);
  EXPECT_EQ(expired->front().state, State::kExpired);
  EXPECT_THAT(*first_->Expire(), IsEmpty());
  EXPECT_EQ(StateOf(id), State::kExpired);
}

TEST_P(ApprovalsTest, TellsAlsoWhatWasSeenToExpireInAnAnswer) {
  const std::string id = Ask(Sample());
  clock_.Pass(minutes(10));
  const auto late = first_->Approve(id, Yes());
  EXPECT_EQ(FailureOf(late), Kind::kInvalid);
  EXPECT_THAT(MessageOf(late), HasSubstr("waits no more: nobody answered before 2026-"));
  EXPECT_FALSE(MayRun(Sample()));
  EXPECT_EQ(first_->Expire()->size(), 1U);
}

TEST_P(ApprovalsTest, RevivesNothingWhenTheClockIsSetBack) {
  const std::string refused = Ask(Sample());
  clock_.Pass(minutes(10));
  EXPECT_FALSE(first_->Deny(refused, "ann", ""));
  clock_.Pass(-minutes(5));
  EXPECT_FALSE(first_->Approve(refused, Yes()));
  EXPECT_EQ(StateOf(refused), State::kExpired);
  // With the clock set back to before the question was asked, its age is unknown.
  const std::string young = Ask(Sample());
  clock_.Pass(-minutes(2));
  EXPECT_FALSE(first_->Approve(young, Yes()));
  clock_.Pass(minutes(2));
  EXPECT_EQ(StateOf(young), State::kExpired);
}

TEST_P(ApprovalsTest, ShowsACallerNothingOfOthers) {
  const std::string id = Ask(Sample());
  EXPECT_TRUE(first_->Show(id, Viewer::Owner("ci")));
  EXPECT_EQ(FailureOf(first_->Show(id, Viewer::Owner("eve"))), Kind::kNotFound);
  EXPECT_EQ(FailureOf(first_->Cancel(id, "eve", "")), Kind::kNotFound);
  EXPECT_THAT(*first_->List({}, Viewer::Owner("eve")), IsEmpty());
  EXPECT_THAT(*first_->List({.caller = "ci"}, Viewer::Owner("eve")), IsEmpty());
  EXPECT_EQ(FailureOf(first_->List({.after = id}, Viewer::Owner("eve"))), Kind::kNotFound);
  EXPECT_EQ(first_->List({}, Viewer::Owner("ci"))->size(), 1U);
  for (const std::string& nothing : {std::string(), std::string("ap_"), std::string("\x1b[2J"),
                                     std::string("a\0b", 3), std::string(100'000, 'a')}) {
    EXPECT_EQ(FailureOf(first_->Show(nothing, Viewer::Everything())), Kind::kNotFound);
  }
}

TEST_P(ApprovalsTest, ListsPageByPageNewestFirst) {
  std::vector<std::string> ids;
  for (int i = 0; i < 7; ++i) {
    NewQuestion asked = Sample();
    asked.session = "s-" + std::to_string(i);
    ids.insert(ids.begin(), Ask(asked));
    if (i % 2 == 1) clock_.Pass(milliseconds(1));  // so that some share a millisecond
  }
  std::vector<std::string> listed;
  Filter filter{.limit = 3};
  for (;;) {
    const auto page = first_->List(filter, Viewer::Everything());
    ASSERT_TRUE(page) << page.error().message();
    if (page->empty()) break;
    for (const Question& question : *page) listed.push_back(question.id);
    filter.after = listed.back();
  }
  EXPECT_THAT(listed, testing::UnorderedElementsAreArray(ids));
  EXPECT_EQ(listed.front(), ids.front());
  ASSERT_TRUE(first_->Deny(ids[2], "ann", "no"));
  const auto denied = first_->List({.state = State::kDenied}, Viewer::Everything());
  ASSERT_EQ(denied->size(), 1U);
  EXPECT_EQ(denied->front().id, ids[2]);
  EXPECT_EQ(first_->List({.caller = "ci", .state = State::kWaiting}, Viewer::Everything())->size(),
            6U);
}

TEST_P(ApprovalsTest, BoundsWhatOneCallerHasWaiting) {
  NewQuestion asked = Sample();
  for (std::size_t i = 0; i < Approvals::kMostWaitingOfOne; ++i) {
    asked.session = "s-" + std::to_string(i);
    ASSERT_NE(Ask(asked), "");
  }
  asked.session = "one more";
  const auto refused = first_->Ask(asked);
  EXPECT_EQ(FailureOf(refused), Kind::kExhausted);
  EXPECT_GT(refused.error().retry_after().count(), 0);
  asked.caller = "another";
  EXPECT_TRUE(first_->Ask(asked));
  asked.caller = "ci";
  clock_.Pass(minutes(10));
  EXPECT_TRUE(first_->Ask(asked)) << "expired ones wait no more";
}

TEST_P(ApprovalsTest, BoundsWhatWaitsInAll) {
  Ask(Sample());
  ASSERT_EQ(Multiply(14), 16'384U);
  NewQuestion asked = Sample();
  asked.caller = "another";
  const auto refused = first_->Ask(asked);
  EXPECT_EQ(FailureOf(refused), Kind::kExhausted);
  EXPECT_THAT(MessageOf(refused), HasSubstr("16384 questions wait"));
}

TEST_P(ApprovalsTest, KeepsABoundedNumberOfEndedOnesOfACaller) {
  ASSERT_TRUE(first_->Deny(Ask(Sample()), "ann", ""));
  ASSERT_EQ(Multiply(10), 1'024U);
  clock_.Pass(milliseconds(1));
  NewQuestion asked = Sample();
  asked.caller = "another";
  const std::string others = Ask(asked);
  ASSERT_TRUE(first_->Deny(others, "ann", ""));
  const std::string granted = Ask(Sample());
  ASSERT_TRUE(first_->Approve(granted, Yes(GrantKind::kDigest)));
  Ask(Sample());
  EXPECT_EQ(StateOf(others), State::kDenied);
  EXPECT_EQ(StateOf(granted), State::kApproved);
  EXPECT_EQ(Multiply(0), Approvals::kMostEndedOfOne + 3);
}

TEST_P(ApprovalsTest, ForgetsWhatEndedLongAgo) {
  const std::string id = Ask(Sample());
  ASSERT_TRUE(first_->Deny(id, "ann", ""));
  clock_.Pass(Approvals::kKept);
  ASSERT_TRUE(first_->Expire());
  EXPECT_EQ(StateOf(id), State::kDenied);
  clock_.Pass(milliseconds(1));
  ASSERT_TRUE(first_->Expire());
  EXPECT_EQ(FailureOf(first_->Show(id, Viewer::Everything())), Kind::kNotFound);
}

TEST_P(ApprovalsTest, WakesWhoWaitsHereAndInAnotherProcess) {
  const std::string id = Ask(Sample());
  const auto deadline = steady_clock::now() + minutes(1);
  std::vector<State> seen(2, State::kWaiting);
  {
    const auto wait = [&](const Opened& opened, State& state) {
      const auto end = opened->Wait(id, Viewer::Owner("ci"), deadline, std::stop_token());
      if (end) state = end->state;
    };
    const std::jthread here([&] { wait(first_, seen[0]); });
    const std::jthread there([&] { wait(second_, seen[1]); });
    std::this_thread::sleep_for(milliseconds(20));
    ASSERT_TRUE(first_->Deny(id, "ann", "not today"));
  }
  EXPECT_THAT(seen, ElementsAre(State::kDenied, State::kDenied));
  EXPECT_LT(steady_clock::now(), deadline - minutes(1) + std::chrono::seconds(20));
}

// Polling the database alone would take nearly kPoll each time.
TEST_P(ApprovalsTest, WakesWhoWaitsInTheSameProcessAtOnce) {
  auto quickest = steady_clock::duration::max();
  for (int i = 0; i < 5 && quickest > Approvals::kPoll / 2; ++i) {
    const std::string id = Ask(Sample());
    steady_clock::time_point answered;
    {
      const std::jthread waiter([&] {
        const auto deadline = steady_clock::now() + minutes(1);
        const auto end = first_->Wait(id, Viewer::Owner("ci"), deadline, {});
        EXPECT_TRUE(end && end->state == State::kDenied);
      });
      std::this_thread::sleep_for(milliseconds(20));
      answered = steady_clock::now();
      EXPECT_TRUE(first_->Deny(id, "ann", ""));
    }
    quickest = std::min(quickest, steady_clock::now() - answered);
  }
  EXPECT_LT(quickest, Approvals::kPoll / 2);
}

TEST_P(ApprovalsTest, WaitsNoLongerThanItIsToldTo) {
  const std::string id = Ask(Sample());
  const auto soon = steady_clock::now() + milliseconds(30);
  EXPECT_EQ(first_->Wait(id, Viewer::Everything(), soon, {})->state, State::kWaiting);
  std::stop_source stop;
  State seen = State::kTampered;
  {
    const std::jthread waiter([&] {
      const auto never = steady_clock::now() + std::chrono::hours(1);
      seen = first_->Wait(id, Viewer::Everything(), never, stop.get_token())->state;
    });
    stop.request_stop();
  }
  EXPECT_EQ(seen, State::kWaiting);
  clock_.Pass(minutes(10));
  const auto never = steady_clock::now() + std::chrono::hours(1);
  EXPECT_EQ(first_->Wait(id, Viewer::Everything(), never, {})->state, State::kExpired);
  EXPECT_EQ(FailureOf(first_->Wait("ap_0", Viewer::Everything(), never, {})), Kind::kNotFound);
}

}  // namespace
}  // namespace belljar::judgement::approval
