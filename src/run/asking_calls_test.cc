#include <gtest/gtest.h>

#include <thread>

#include "judgement/approval/scratch.h"
#include "run/asking.h"

namespace belljar::run {
namespace {

class AskingCalls : public testing::Test {
 protected:
  AskingCalls() {
    requester_.origin.caller = "ci";
    requester_.origin.run_id = "as-the-caller-likes";
    approval_.approver.name = "ann";
  }

  CallQuestion About(const std::string& run) const { return About(run, requester_); }
  CallQuestion About(const std::string& run, const Requester& requester) const {
    CallQuestion about{request_, terms_, requester, run};
    about.what = {{"sql", "DELETE FROM t"}};
    about.subject = "DELETE FROM t";
    about.touches = "writes 2 rows";
    about.wait = std::chrono::seconds(60);
    return about;
  }
  // Approves each question as soon as it is asked.
  void AlwaysAgree() {
    requester_.observer.on_question = [this](const judgement::approval::Question& question) {
      ++asked_;
      EXPECT_TRUE(asking_.Approve(question.id, approval_));
    };
  }

  judgement::approval::ScratchApprovals scratch_;
  // A second connection, which answers at the worst moment: after a question has been read and
  // while it waits.
  judgement::approval::Approvals& elsewhere_ = scratch_.Open();
  std::function<void()> meanwhile_;
  judgement::approval::Approvals& approvals_ = scratch_.Open([this] {
    if (meanwhile_) std::exchange(meanwhile_, nullptr)();
    return judgement::approval::SystemNow();
  });
  OpenApprovals source_{approvals_};
  Asking asking_{&source_, nullptr};
  request::Request request_;
  judgement::policy::Policy terms_;
  Requester requester_;
  judgement::approval::Approval approval_;
  int asked_ = 0;
};

TEST_F(AskingCalls, AYesServesNoOtherRunHoweverWideItIs) {
  approval_.grant.kind = judgement::approval::GrantKind::kDigest;
  AlwaysAgree();
  EXPECT_TRUE(asking_.AskForCall(About("one"), {}));
  EXPECT_TRUE(asking_.AskForCall(About("one"), {}));
  EXPECT_EQ(asked_, 1);
  EXPECT_TRUE(asking_.AskForCall(About("other"), {}));
  EXPECT_EQ(asked_, 2);
}

TEST_F(AskingCalls, AYesToOneCallIsUsedUpByIt) {
  AlwaysAgree();
  EXPECT_TRUE(asking_.AskForCall(About("one"), {}));
  EXPECT_TRUE(asking_.AskForCall(About("one"), {}));
  EXPECT_EQ(asked_, 2);
}

TEST_F(AskingCalls, OneCallerDoesNotKeepAllOthersFromAsking) {
  std::vector<std::jthread> waiting;
  std::atomic<std::size_t> asked = 0;
  std::stop_source stop;
  Requester greedy = requester_;
  greedy.observer.on_question = [&](const judgement::approval::Question&) { ++asked; };
  for (std::size_t i = 0; i < WaitingPlaces::kMostOfOne; ++i) {
    waiting.emplace_back([&, i] {
      auto about = About(std::to_string(i), greedy);
      EXPECT_FALSE(asking_.AskForCall(about, stop.get_token()));
    });
  }
  while (asked < WaitingPlaces::kMostOfOne) std::this_thread::yield();
  const auto one_more = asking_.AskForCall(About("one more", greedy), {});
  ASSERT_FALSE(one_more);
  EXPECT_EQ(one_more.error().kind(), Kind::kExhausted);
  requester_.origin.caller = "other";
  AlwaysAgree();
  EXPECT_TRUE(asking_.AskForCall(About("one more"), {}));
  stop.request_stop();
}

TEST_F(AskingCalls, AQuestionThatIsGivenUpIsCancelled) {
  std::stop_source stop;
  std::string id;
  requester_.observer.on_question = [&](const judgement::approval::Question& question) {
    id = question.id;
    stop.request_stop();
  };
  const auto agreed = asking_.AskForCall(About("one"), stop.get_token());
  ASSERT_FALSE(agreed);
  EXPECT_EQ(agreed.error().kind(), Kind::kDenied);
  const auto shown = approvals_.Show(id, judgement::approval::Viewer::Everything());
  EXPECT_EQ(shown->state, judgement::approval::State::kCancelled);
}

TEST_F(AskingCalls, AYesThatComesWhenTheCallWasGivenUpIsTakenBack) {
  std::stop_source stop;
  std::string id;
  requester_.observer.on_question = [&](const judgement::approval::Question& question) {
    id = question.id;
    stop.request_stop();
    meanwhile_ = [&] { EXPECT_TRUE(elsewhere_.Approve(id, approval_)); };
  };
  EXPECT_FALSE(asking_.AskForCall(About("one"), stop.get_token()));
  const auto shown = approvals_.Show(id, judgement::approval::Viewer::Everything());
  EXPECT_EQ(shown->state, judgement::approval::State::kDenied);
  AlwaysAgree();
  EXPECT_TRUE(asking_.AskForCall(About("one"), {}));
  EXPECT_EQ(asked_, 1);
}

}  // namespace
}  // namespace belljar::run
