#include "judgement/approval/question.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>

#include "foundation/base/text.h"

namespace belljar::judgement::approval {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

constexpr std::int64_t kAskedAt = 1'795'000'000'000;

NewQuestion SmallQuestion() {
  NewQuestion asked;
  asked.caller = "ci";
  asked.digest = std::string(64, 'a');
  asked.level = "L2";
  asked.subject = "print(1)";
  return asked;
}

TEST(Question, TellsHowMuchOfTheSubjectIsCut) {
  NewQuestion asked = SmallQuestion();
  asked.subject = std::string(kMaxSubjectBytes - 1, 'x') + "\u20ac" + "tail";
  const auto question = Prepare(asked, kAskedAt);
  EXPECT_EQ(question->subject, std::string(kMaxSubjectBytes - 1, 'x'));
  EXPECT_EQ(question->cut_bytes, 7);
  EXPECT_EQ(ToJson(*question).at("cut_bytes").as_int64(), 7);
}

TEST(Question, CutsALongReasonAndSaysSo) {
  NewQuestion asked = SmallQuestion();
  asked.reason = std::string(10'000, 'x');
  const std::string reason = Prepare(asked, kAskedAt)->reason;
  EXPECT_LE(reason.size(), kMaxReasonBytes);
  EXPECT_THAT(reason, testing::EndsWith("x [cut; the whole has 10000 bytes]"));
  asked.reason.clear();
  for (int i = 0; i < 3'000; ++i) asked.reason += "\u20ac";
  EXPECT_TRUE(IsValidUtf8(Prepare(asked, kAskedAt)->reason));
}

TEST(Question, CanBeStoredWhateverTheTextIs) {
  NewQuestion asked = SmallQuestion();
  asked.subject = std::string("a\0b\xff", 4);
  asked.reason = std::string("\0", 1);
  const auto question = Prepare(asked, kAskedAt);
  EXPECT_EQ(question->subject, "a\u2400b\ufffd");
  EXPECT_EQ(question->reason, "\u2400");
}

TEST(Question, LeavesOutRisksInWordsAndTouchesNever) {
  NewQuestion asked = SmallQuestion();
  asked.risks.assign(kMaxItems + 5, "a risk");
  const auto question = Prepare(asked, kAskedAt);
  EXPECT_EQ(question->risks.size(), kMaxItems);
  EXPECT_EQ(question->risks.back(), "and 6 more");
  asked.touches.assign(kMaxItems + 1, "network");
  EXPECT_EQ(Prepare(asked, kAskedAt).error().kind(), Kind::kInvalid);
  asked.touches = {std::string(kMaxItemBytes + 1, 'x')};
  EXPECT_EQ(Prepare(asked, kAskedAt).error().kind(), Kind::kInvalid);
  asked.touches = {};
  asked.wishes.assign(kMaxItems + 1, "a wish");
  EXPECT_EQ(Prepare(asked, kAskedAt).error().kind(), Kind::kInvalid);
}

TEST(Question, RefusesWhatMakesNoSense) {
  const std::vector<std::function<void(NewQuestion&)>> mistakes = {
      [](NewQuestion& q) { q.caller = ""; },
      [](NewQuestion& q) { q.caller = "a\x1b"; },
      [](NewQuestion& q) { q.digest.pop_back(); },
      [](NewQuestion& q) { q.digest[0] = 'A'; },
      [](NewQuestion& q) { q.level = "L5"; },
      [](NewQuestion& q) { q.level = ""; },
      [](NewQuestion& q) { q.session = std::string(257, 's'); },
      [](NewQuestion& q) { q.correlation_id = "\n"; },
      [](NewQuestion& q) { q.wait = {}; },
      [](NewQuestion& q) { q.wait = std::chrono::milliseconds::max(); },
  };
  ASSERT_TRUE(Prepare(SmallQuestion(), kAskedAt));
  for (std::size_t i = 0; i < mistakes.size(); ++i) {
    NewQuestion asked = SmallQuestion();
    mistakes[i](asked);
    const auto refused = Prepare(asked, kAskedAt);
    ASSERT_FALSE(refused) << i;
    EXPECT_EQ(refused.error().kind(), Kind::kInvalid) << i;
  }
}

TEST(Question, IsJsonForHttpAndTheCommandLine) {
  NewQuestion asked = SmallQuestion();
  asked.risks = {"starts programs"};
  Question question = *Prepare(asked, kAskedAt);
  question.id = "ap_1";
  json::object object = ToJson(question);
  EXPECT_EQ(object.at("code"), "print(1)");
  EXPECT_EQ(object.at("created"), "2026-11-18T11:06:40.000Z");
  EXPECT_EQ(object.at("expires"), "2026-11-18T12:06:40.000Z");
  EXPECT_EQ(object.at("risks"), json::array({"starts programs"}));
  EXPECT_TRUE(object.at("answer").is_null());
  question.subject_kind = SubjectKind::kCommand;
  question.state = State::kApproved;
  question.answer = Answer{"ann", kAskedAt, "fine", asked.digest, GrantKind::kDigest, kAskedAt};
  object = ToJson(question);
  EXPECT_FALSE(object.contains("code"));
  EXPECT_EQ(object.at("command"), "print(1)");
  EXPECT_EQ(json::serialize(object.at("answer")),
            R"({"by":"ann","at":"2026-11-18T11:06:40.000Z","note":"fine","digest":")" +
                asked.digest + R"(","grant":"digest","grant_expires":"2026-11-18T11:06:40.000Z"})");
}

TEST(Question, SaysWhyItIsInItsState) {
  Question question = *Prepare(SmallQuestion(), kAskedAt);
  EXPECT_EQ(WhyOf(question), "waiting for a person until 2026-11-18T12:06:40.000Z");
  question.state = State::kExpired;
  EXPECT_EQ(WhyOf(question), "nobody answered before 2026-11-18T12:06:40.000Z");
  question.state = State::kDenied;
  question.answer = Answer{"ann", kAskedAt, "too risky", "", std::nullopt, 0};
  EXPECT_EQ(WhyOf(question), "denied by ann at 2026-11-18T11:06:40.000Z: too risky");
  question.state = State::kTampered;
  EXPECT_THAT(WhyOf(question), HasSubstr("grants nothing"));
}

TEST(Question, NamesItsStatesAndGrantsBothWays) {
  for (const State state : {State::kWaiting, State::kApproved, State::kDenied, State::kExpired,
                            State::kCancelled, State::kUsed, State::kTampered}) {
    EXPECT_EQ(ParseState(StateName(state)), state);
  }
  EXPECT_EQ(ParseState("open"), std::nullopt);
  for (const GrantKind kind : {GrantKind::kOnce, GrantKind::kSession, GrantKind::kDigest}) {
    EXPECT_EQ(*ParseGrant(GrantName(kind)), kind);
  }
  EXPECT_FALSE(ParseGrant("always"));
}

}  // namespace
}  // namespace belljar::judgement::approval
