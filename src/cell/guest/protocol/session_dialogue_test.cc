#include "cell/guest/protocol/session_dialogue.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

namespace belljar::cell::guest {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr std::uint64_t kStatementNumber = 7;

std::string Ready() { return EncodeFrame(FrameType::kReady, "{}"); }

std::string DoneFrame(
    std::string_view payload = R"({"n":7,"status":"ok","exit_code":0,"file_operations":3})") {
  return EncodeFrame(FrameType::kDone, payload);
}

std::string SaidError() {
  return EncodeFrame(FrameType::kError, R"({"type":"E","message":"no","traceback":""})");
}

std::string DisplayFrame(const std::string& bundle) {
  return EncodeFrame(FrameType::kDisplay, R"({"n":7,"result":false,"bundle":)" + bundle + "}");
}

std::string TextOf(std::size_t bytes) {
  return R"({"text/plain":")" + std::string(bytes, 'x') + "\"}";
}

struct Heard {
  std::vector<SessionEvent> events;
  std::string complaint;  // "" when all was legal
};

Heard Drain(SessionDialogue& dialogue, std::string_view bytes) {
  Heard heard;
  dialogue.Append(bytes);
  while (true) {
    auto event = dialogue.Next();
    if (!event) heard.complaint = event.error().message();
    if (!event || !*event) return heard;
    heard.events.push_back(**std::move(event));
  }
}

SessionDialogue Running() {
  SessionDialogue dialogue;
  EXPECT_THAT(Drain(dialogue, Ready()).complaint, IsEmpty());
  EXPECT_TRUE(dialogue.Begin(kStatementNumber));
  return dialogue;
}

// The error of a dialogue in which statement 7 is running, when it receives `bytes`; "" if legal.
std::string SessionComplaint(std::string_view bytes) {
  SessionDialogue dialogue = Running();
  return Drain(dialogue, bytes).complaint;
}

TEST(SessionDialogue, DeliversWhatHappenedInOrder) {
  SessionDialogue dialogue;
  EXPECT_EQ(Drain(dialogue, Ready()).events, (std::vector<SessionEvent>{SessionReady{}}));
  EXPECT_TRUE(dialogue.ready());
  ASSERT_TRUE(dialogue.Begin(kStatementNumber));
  const Heard heard = Drain(
      dialogue, DisplayFrame(R"({"text/plain":"a","application/json":[1]})") + SaidError() +
                    EncodeFrame(FrameType::kQuota, R"({"limit":"file_operations"})") +
                    DoneFrame(R"({"n":7,"status":"exit","exit_code":3,"file_operations":9})"));
  EXPECT_THAT(heard.complaint, IsEmpty());
  const Display display{{{"text/plain", "a"}, {"application/json", json::array{1}}}, false};
  EXPECT_EQ(heard.events,
            (std::vector<SessionEvent>{
                display, GuestError{"E", "no", ""}, QuotaReached{"file_operations"},
                StatementDone{kStatementNumber, StatementStatus::kExit, 3, 9, std::nullopt}}));
  EXPECT_FALSE(dialogue.running());
}

TEST(SessionDialogue, HearsTheSameHoweverTheBytesArrive) {
  const std::string bytes =
      DisplayFrame(TextOf(3)) + DisplayFrame(TextOf(0)) + DoneFrame() + SaidError();
  SessionDialogue at_once = Running();
  const Heard whole = Drain(at_once, bytes);
  EXPECT_EQ(whole.events.size(), 3u);
  for (std::size_t step = 1; step <= bytes.size(); ++step) {
    SessionDialogue dialogue = Running();
    std::vector<SessionEvent> events;
    std::string complaint;
    for (std::size_t at = 0; at < bytes.size(); at += step) {
      const Heard some = Drain(dialogue, std::string_view(bytes).substr(at, step));
      events.insert(events.end(), some.events.begin(), some.events.end());
      complaint = some.complaint;
    }
    EXPECT_EQ(events, whole.events) << "in steps of " << step;
    EXPECT_EQ(complaint, whole.complaint) << "in steps of " << step;
  }
}

TEST(SessionDialogue, RunsOneStatementAfterAnother) {
  SessionDialogue dialogue = Running();
  EXPECT_FALSE(dialogue.Begin(8)) << "one at a time";
  EXPECT_THAT(Drain(dialogue, SaidError() + DoneFrame()).complaint, IsEmpty());
  ASSERT_TRUE(dialogue.Begin(8));
  EXPECT_THAT(
      Drain(dialogue, SaidError() + DoneFrame(R"({"n":8,"status":"exception","exit_code":null,)"
                                              R"("file_operations":0})"))
          .complaint,
      IsEmpty());
}

TEST(SessionDialogue, HasNoRoomForAStatementBeforeReady) {
  SessionDialogue dialogue;
  EXPECT_FALSE(dialogue.Begin(1));
  EXPECT_THAT(Drain(dialogue, DoneFrame()).complaint, HasSubstr("while no statement was running"));
}

TEST(SessionDialogue, RefusesWordsBetweenStatements) {
  for (const std::string& frame : {SaidError(), DisplayFrame(TextOf(1)), DoneFrame()}) {
    EXPECT_THAT(SessionComplaint(DoneFrame() + frame), HasSubstr("while no statement was running"));
  }
}

SessionDialogue Saving() {
  SessionDialogue dialogue;
  dialogue.Append(Ready());
  EXPECT_TRUE(dialogue.Next());
  EXPECT_TRUE(dialogue.BeginCheckpoint());
  return dialogue;
}

TEST(SessionDialogue, HearsTheAnswerToACheckpointAndNothingElse) {
  SessionDialogue dialogue = Saving();
  EXPECT_FALSE(dialogue.Begin(1));
  dialogue.Append(EncodeFrame(FrameType::kSaved, R"({"refused":"a socket is open","part":0})"));
  const auto event = dialogue.Next();
  ASSERT_TRUE(event && *event);
  EXPECT_EQ(std::get<SessionSaved>(**event).refused, "a socket is open");
  EXPECT_FALSE(dialogue.saving());
  EXPECT_TRUE(dialogue.Begin(1));
  for (const std::string& other : {DoneFrame(), SaidError(), Ready()}) {
    SessionDialogue wrong = Saving();
    wrong.Append(other);
    EXPECT_FALSE(wrong.Next());
  }
  EXPECT_THAT(SessionComplaint(EncodeFrame(FrameType::kSaved, R"({"refused":"","part":1})")),
              HasSubstr("no session may send"));
}

TEST(SessionDialogue, RefusesToHearAnythingTwice) {
  const std::string quota = EncodeFrame(FrameType::kQuota, R"({"limit":"file_operations"})");
  for (const std::string& frame : {SaidError(), quota}) {
    EXPECT_THAT(SessionComplaint(frame), IsEmpty());
    EXPECT_THAT(SessionComplaint(frame + frame), HasSubstr("said twice"));
  }
  EXPECT_THAT(SessionComplaint(Ready()), HasSubstr("said twice"));
}

TEST(SessionDialogue, RefusesFramesOfOtherConversations) {
  EXPECT_THAT(SessionComplaint(EncodeFrame(FrameType::kHello, "{}")), HasSubstr("frame type 0x81"));
  EXPECT_THAT(SessionComplaint(EncodeFrame(FrameType::kCount, "{}")), HasSubstr("frame type 0x83"));
  EXPECT_THAT(SessionComplaint(EncodeFrame(FrameType::kStatement, "{}")),
              HasSubstr("frame type 0x03"));
  EXPECT_THAT(SessionComplaint(EncodeFrame(static_cast<FrameType>(0x89), "{}")),
              HasSubstr("frame type 0x89"));
}

TEST(SessionDialogue, RefusesTheNumberOfAnotherStatement) {
  EXPECT_THAT(
      SessionComplaint(DoneFrame(R"({"n":6,"status":"ok","exit_code":0,"file_operations":0})")),
      HasSubstr("another statement"));
  EXPECT_THAT(SessionComplaint(EncodeFrame(FrameType::kDisplay,
                                           R"({"n":8,"result":true,"bundle":{"text/plain":""}})")),
              HasSubstr("another statement"));
}

TEST(SessionDialogue, RefusesADoneThatIsNotExactlyOne) {
  for (const char* payload :
       {"", "{}", "[]", R"({"n":7,"status":"ok","exit_code":0})",
        R"({"n":7,"status":"fine","exit_code":0,"file_operations":0})",
        R"({"n":7,"status":"ok","file_operations":0})",
        R"({"n":7,"status":"ok","exit_code":256,"file_operations":0})",
        R"({"n":7,"status":"ok","exit_code":-1,"file_operations":0})",
        R"({"n":7,"status":"ok","exit_code":"0","file_operations":0})",
        R"({"n":"7","status":"ok","exit_code":0,"file_operations":0})",
        R"({"n":7,"status":"ok","exit_code":0,"file_operations":0,"more":1})"}) {
    EXPECT_THAT(SessionComplaint(DoneFrame(payload)), HasSubstr("guest protocol")) << payload;
  }
}

TEST(SessionDialogue, RefusesADisplayThatIsNotABundle) {
  for (const char* bundle :
       {"{}", "[]", "\"text\"", R"({"text/plain":7})", R"({"text/plain":null})", R"({"":"x"})",
        R"({"text":"x"})", R"({"text/":"x"})", R"({"/plain":"x"})", R"({"a/b/c":"x"})",
        R"({"text/plain; charset=utf-8":"x"})", R"({"TEXT/PLAIN":"x"})", R"({"image/png":"%%"})",
        R"({"image/svg+xml":{}})", R"({"text/html":["x"]})"}) {
    EXPECT_THAT(SessionComplaint(DisplayFrame(bundle)), HasSubstr("guest protocol")) << bundle;
  }
}

TEST(SessionDialogue, TakesJsonAndBase64WhereTheyBelong) {
  for (const char* bundle :
       {R"({"application/json":null})", R"({"application/vnd.vega.v5+json":{"a":[1.5]}})",
        R"({"image/png":"AAEC"})", R"({"image/svg+xml":"<svg/>"})", R"({"text/html":""})"}) {
    EXPECT_THAT(SessionComplaint(DisplayFrame(bundle)), IsEmpty()) << bundle;
  }
}

TEST(SessionDialogue, RefusesADisplayInTooManyForms) {
  const auto bundle = [](std::size_t forms) {
    json::object object;
    for (std::size_t i = 0; i < forms; ++i) object["text/x" + std::to_string(i)] = "";
    return json::serialize(object);
  };
  EXPECT_THAT(SessionComplaint(DisplayFrame(bundle(kMaxBundleEntries))), IsEmpty());
  EXPECT_THAT(SessionComplaint(DisplayFrame(bundle(kMaxBundleEntries + 1))),
              HasSubstr("too many forms"));
}

TEST(SessionDialogue, JudgesTheSizeOfADisplayByItsHeader) {
  std::string header = EncodeFrame(FrameType::kDisplay, "");
  const auto announce = [&](std::size_t length) {
    for (std::size_t i = 0; i < 4; ++i) header[i] = static_cast<char>(length >> (8 * i));
    return SessionComplaint(header);
  };
  EXPECT_THAT(announce(kMaxDisplayFrameBytes), IsEmpty());
  EXPECT_THAT(announce(kMaxDisplayFrameBytes + 1), HasSubstr("a frame of 4194305 bytes"));
  header = EncodeFrame(FrameType::kDone, "");
  EXPECT_THAT(announce(kMaxGuestFrameBytes + 1), HasSubstr("a frame of 262145 bytes"));
}

TEST(SessionDialogue, CountsTheDisplaysOfEachStatementAnew) {
  SessionDialogue dialogue = Running();
  const std::string frame = DisplayFrame(TextOf(1));
  const auto fill = [&] {
    for (std::size_t i = 0; i < kMaxDisplays; ++i) {
      ASSERT_THAT(Drain(dialogue, frame).complaint, IsEmpty());
    }
  };
  fill();
  ASSERT_THAT(Drain(dialogue, DoneFrame()).complaint, IsEmpty());
  ASSERT_TRUE(dialogue.Begin(kStatementNumber));
  fill();
  EXPECT_THAT(Drain(dialogue, frame).complaint, HasSubstr("too many displays"));
}

TEST(SessionDialogue, HoldsTheDisplaysOfAStatementToASum) {
  SessionDialogue dialogue = Running();
  const std::string frame = DisplayFrame(TextOf(kMaxDisplayFrameBytes - 100));
  for (std::size_t i = 0; i < kMaxDisplayBytes / kMaxDisplayFrameBytes; ++i) {
    ASSERT_THAT(Drain(dialogue, frame).complaint, IsEmpty());
  }
  EXPECT_THAT(Drain(dialogue, frame).complaint, HasSubstr("too many bytes of displays"));
}

TEST(SessionDialogue, KeepsTheFirstViolation) {
  SessionDialogue dialogue = Running();
  const std::string first = Drain(dialogue, Ready() + DoneFrame("")).complaint;
  EXPECT_THAT(first, HasSubstr("said twice"));
  EXPECT_EQ(Drain(dialogue, DoneFrame()).complaint, first);
  const auto begun = dialogue.Begin(8);
  ASSERT_FALSE(begun);
  EXPECT_EQ(begun.error().message(), first);
}

TEST(SessionDialogue, ShowsIllFormedTextAsReplacementCharacters) {
  SessionDialogue dialogue = Running();
  const Heard heard = Drain(dialogue, DisplayFrame("{\"text/plain\":\"a\xFFz\"}"));
  ASSERT_EQ(heard.events.size(), 1u);
  EXPECT_EQ(std::get<Display>(heard.events[0]).bundle.at("text/plain"), "a\xEF\xBF\xBDz");
}

}  // namespace
}  // namespace belljar::cell::guest
