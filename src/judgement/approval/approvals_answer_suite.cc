#include "judgement/approval/approvals_suite.h"

namespace belljar::judgement::approval {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;
using testing::HasSubstr;

TEST_P(ApprovalsAnswerTest, RecordsWhoWhenWhyAndTheVeryDigest) {
  const std::string id = Ask(Sample());
  clock_.Pass(milliseconds(5));
  Approval approval = Yes();
  approval.note = "looked at it";
  approval.digest = Sample().digest;
  const auto approved = first_->Approve(id, approval);
  ASSERT_TRUE(approved) << approved.error().message();
  const Answer expected = {"ann",           clock_.now_ms(),  "looked at it",
                           Sample().digest, GrantKind::kOnce, clock_.now_ms() + 24 * 3'600'000};
  EXPECT_EQ(approved->answer, expected);
  EXPECT_EQ(second_->Show(id, Viewer::Everything())->answer, expected);
}

TEST_P(ApprovalsAnswerTest, OfManyAnswersAtOnceExactlyOneCounts) {
  for (int round = 0; round < 5; ++round) {
    const std::string id = Ask(Sample());
    const auto answer = [&](const Opened& opened, int i) {
      const std::string name = "approver" + std::to_string(i);
      auto answered = i % 2 == 0 ? opened->Approve(id, Yes(GrantKind::kOnce, name))
                                 : opened->Deny(id, name, "");
      if (answered) return true;
      EXPECT_EQ(FailureOf(answered), Kind::kInvalid) << answered.error().message();
      EXPECT_THAT(MessageOf(answered), HasSubstr(" by approver"));
      return false;
    };
    EXPECT_EQ(Race(
                  4, [&](int i) { return answer(first_, i); },
                  [&](int i) { return answer(second_, i + 1); }),
              1);
    clock_.Pass(hours(25));
  }
}

TEST_P(ApprovalsAnswerTest, TellsTheLoserWhoWasQuicker) {
  const std::string id = Ask(Sample());
  ASSERT_TRUE(first_->Deny(id, "ann", "\x1b[2Jno"));
  const auto late = second_->Approve(id, Yes(GrantKind::kOnce, "bob"));
  EXPECT_EQ(FailureOf(late), Kind::kInvalid);
  EXPECT_EQ(MessageOf(late),
            "question " + id + " waits no more: denied by ann at 2026-11-18T11:06:40.000Z");
  EXPECT_FALSE(MayRun(Sample()));
}

TEST_P(ApprovalsAnswerTest, AGrantForOneRunStartsExactlyOne) {
  for (int round = 0; round < 5; ++round) {
    const std::string id = Ask(Sample());
    ASSERT_TRUE(first_->Approve(id, Yes()));
    const auto redeem = [&](const Opened& opened) {
      const auto redeemed = opened->Redeem("ci", Sample().digest, "s-1");
      EXPECT_TRUE(redeemed) << redeemed.error().message();
      return redeemed && redeemed->has_value();
    };
    EXPECT_EQ(Race(
                  4, [&](int) { return redeem(first_); }, [&](int) { return redeem(second_); }),
              1);
    EXPECT_EQ(StateOf(id), State::kUsed);
  }
}

TEST_P(ApprovalsAnswerTest, GrantsNothingToAChangedRequestAnotherCallerOrAnotherSession) {
  ASSERT_TRUE(first_->Approve(Ask(Sample()), Yes()));
  NewQuestion changed = Sample();
  changed.digest[63] = 'b';
  EXPECT_FALSE(MayRun(changed));
  NewQuestion other = Sample();
  other.caller = "eve";
  EXPECT_FALSE(MayRun(other));
  NewQuestion elsewhere = Sample();
  elsewhere.session = "";
  EXPECT_FALSE(MayRun(elsewhere));
  EXPECT_TRUE(MayRun(Sample()));
  EXPECT_FALSE(MayRun(Sample()));
}

TEST_P(ApprovalsAnswerTest, ASessionsGrantIsGoodForThatSessionAsOftenAsItLikes) {
  ASSERT_TRUE(first_->Approve(Ask(Sample()), Yes(GrantKind::kSession)));
  NewQuestion elsewhere = Sample();
  elsewhere.session = "s-2";
  for (int i = 0; i < 3; ++i) {
    EXPECT_TRUE(MayRun(Sample()));
    EXPECT_FALSE(MayRun(elsewhere));
  }
  elsewhere.session = "";
  const auto none = first_->Approve(Ask(elsewhere), Yes(GrantKind::kSession));
  EXPECT_EQ(FailureOf(none), Kind::kInvalid);
  EXPECT_FALSE(MayRun(elsewhere));
}

TEST_P(ApprovalsAnswerTest, ADigestsGrantIsGoodEverywhereUntilItsTime) {
  Approval approval = Yes(GrantKind::kDigest);
  approval.grant.lasts = hours(2);
  const std::string id = Ask(Sample());
  ASSERT_TRUE(first_->Approve(id, approval));
  NewQuestion elsewhere = Sample();
  elsewhere.session = "s-2";
  EXPECT_TRUE(MayRun(elsewhere));
  clock_.Pass(hours(2) - milliseconds(1));
  EXPECT_TRUE(MayRun(Sample()));
  clock_.Pass(milliseconds(1));
  EXPECT_FALSE(MayRun(Sample()));
  clock_.Pass(-hours(1));
  EXPECT_FALSE(MayRun(Sample())) << "a clock that is set back revives no grant";
  EXPECT_EQ(StateOf(id), State::kExpired);
  EXPECT_EQ(first_->Expire()->size(), 1U);
}

TEST_P(ApprovalsAnswerTest, UsesUpNoGrantForOneRunWhileAnotherWillDo) {
  const std::string once = Ask(Sample());
  ASSERT_TRUE(first_->Approve(once, Yes()));
  ASSERT_TRUE(first_->Approve(Ask(Sample()), Yes(GrantKind::kDigest)));
  EXPECT_TRUE(MayRun(Sample()));
  EXPECT_EQ(StateOf(once), State::kApproved);
}

TEST_P(ApprovalsAnswerTest, NobodyApprovesTheirOwnRequestUnlessThePolicySaysSo) {
  const std::string id = Ask(Sample());
  Approval own = Yes(GrantKind::kOnce, "ci");
  const auto refused = first_->Approve(id, own);
  EXPECT_EQ(FailureOf(refused), Kind::kDenied);
  EXPECT_EQ(StateOf(id), State::kWaiting);
  own.approver.own = OwnRequests::kAllowed;
  EXPECT_TRUE(first_->Approve(id, own));
}

TEST_P(ApprovalsAnswerTest, RefusesAnApprovalOfWhatWasNotShown) {
  const std::string id = Ask(Sample());
  Approval approval = Yes();
  approval.digest = std::string(64, 'b');
  EXPECT_EQ(FailureOf(first_->Approve(id, approval)), Kind::kInvalid);
  EXPECT_EQ(StateOf(id), State::kWaiting);
}

TEST_P(ApprovalsAnswerTest, RefusesGrantsAndNamesThatMakeNoSense) {
  const std::string id = Ask(Sample());
  for (const milliseconds lasts : {milliseconds(-1), milliseconds(999), milliseconds::max(),
                                   Approvals::kLongestGrant + milliseconds(1)}) {
    Approval approval = Yes(GrantKind::kDigest);
    approval.grant.lasts = lasts;
    EXPECT_EQ(FailureOf(first_->Approve(id, approval)), Kind::kInvalid);
  }
  for (const std::string& name : {std::string(), std::string("a\nb"), std::string(300, 'a')}) {
    EXPECT_EQ(FailureOf(first_->Approve(id, Yes(GrantKind::kOnce, name))), Kind::kInvalid);
    EXPECT_EQ(FailureOf(first_->Deny(id, name, "")), Kind::kInvalid);
  }
  EXPECT_EQ(StateOf(id), State::kWaiting);
}

TEST_P(ApprovalsAnswerTest, OnlyItsOwnerCancelsAQuestionAndOnlyWhileItWaits) {
  const std::string id = Ask(Sample());
  EXPECT_EQ(FailureOf(first_->Cancel(id, "ann", "")), Kind::kNotFound);
  const auto cancelled = first_->Cancel(id, "ci", "not needed");
  ASSERT_TRUE(cancelled) << cancelled.error().message();
  EXPECT_EQ(cancelled->answer->by, "ci");
  EXPECT_FALSE(second_->Approve(id, Yes()));
  EXPECT_FALSE(first_->Cancel(id, "ci", ""));
  EXPECT_EQ(StateOf(id), State::kCancelled);
}

TEST_P(ApprovalsAnswerTest, TakesAGrantBack) {
  const std::string id = Ask(Sample());
  EXPECT_FALSE(first_->Revoke(id, "bob", "")) << "nothing is granted yet";
  ASSERT_TRUE(first_->Approve(id, Yes(GrantKind::kDigest)));
  ASSERT_TRUE(second_->Revoke(id, "bob", "a mistake"));
  EXPECT_FALSE(MayRun(Sample()));
  const auto shown = first_->Show(id, Viewer::Everything());
  EXPECT_EQ(shown->state, State::kDenied);
  EXPECT_EQ(shown->answer->note, "taken back: a mistake");
  EXPECT_FALSE(first_->Revoke(id, "bob", ""));
}

}  // namespace
}  // namespace belljar::judgement::approval
