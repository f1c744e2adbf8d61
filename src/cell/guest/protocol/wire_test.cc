#include "cell/guest/protocol/wire.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace belljar::cell::guest {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

const char kHello[] = R"({"v":1,"guest":"python 3.11.2"})";

std::string Hello() { return EncodeFrame(FrameType::kHello, kHello); }

std::string Header(std::uint32_t length, std::uint8_t type) {
  std::string bytes = EncodeFrame(static_cast<FrameType>(type), "");
  for (std::size_t i = 0; i < 4; ++i) bytes[i] = static_cast<char>(length >> (8 * i));
  return bytes;
}

std::string ErrorFrame(std::string_view type, std::string_view message, std::string_view trace) {
  const std::string payload = std::string(R"({"type":")").append(type) + R"(","message":")" +
                              std::string(message) + R"(","traceback":")" + std::string(trace) +
                              R"("})";
  return EncodeFrame(FrameType::kError, payload);
}

// The error of a new dialogue when it receives `bytes`; "" if they are legal.
std::string Complaint(const std::string& bytes) {
  GuestDialogue dialogue;
  const Result<> result = dialogue.Feed(bytes);
  return result ? "" : result.error().message();
}

RunMessage SomeRun() {
  RunMessage run;
  run.lang = Language::kJavaScript;
  run.code = "console.log('\xE2\x82\xAC \\u0000 \"quoted\"')\n";
  run.name = "main.js";
  run.args = {"one", ""};
  run.env = {{"HOME", "/workspace"}, {"LANG", "C.UTF-8"}};
  run.file_operations = 100'000;
  return run;
}

TEST(EncodeFrame, PutsTheLengthFirstLittleEndian) {
  EXPECT_EQ(EncodeFrame(FrameType::kCount, "abc"), std::string("\x03\0\0\0\x83"
                                                               "abc",
                                                               8));
}

TEST(FrameReader, FindsTheSameFramesHoweverTheBytesArrive) {
  const std::string bytes = Hello() + EncodeFrame(FrameType::kCount, "") + Hello();
  const auto whole = FrameReader(Sender::kGuest).Feed(bytes);
  ASSERT_TRUE(whole);
  ASSERT_EQ(whole->size(), 3u);
  for (std::size_t step = 1; step <= bytes.size(); ++step) {
    FrameReader reader(Sender::kGuest);
    std::vector<Frame> frames;
    for (std::size_t at = 0; at < bytes.size(); at += step) {
      auto some = reader.Feed(std::string_view(bytes).substr(at, step));
      ASSERT_TRUE(some);
      for (Frame& frame : *some) frames.push_back(std::move(frame));
    }
    EXPECT_EQ(frames, *whole) << "in steps of " << step;
    EXPECT_TRUE(reader.AtBoundary());
  }
}

TEST(FrameReader, RefusesALengthBeforeThePayloadArrives) {
  const auto frames = FrameReader(Sender::kGuest).Feed(Header(kMaxGuestFrameBytes + 1, 0x82));
  ASSERT_FALSE(frames);
  EXPECT_EQ(frames.error().message(), "guest protocol: a frame of 262145 bytes");
  FrameReader patient(Sender::kGuest);
  EXPECT_TRUE(patient.Feed(Header(kMaxGuestFrameBytes, 0x82)));
  EXPECT_FALSE(patient.AtBoundary());
}

TEST(FrameReader, KnowsWhichSideMaySendWhich) {
  EXPECT_FALSE(FrameReader(Sender::kGuest).Feed(Header(0, 0x01)));
  EXPECT_FALSE(FrameReader(Sender::kGuest).Feed(Header(0, 0x80)));
  EXPECT_FALSE(FrameReader(Sender::kGuest).Feed(Header(0, 0x85)));
  EXPECT_FALSE(FrameReader(Sender::kSupervisor).Feed(Header(0, 0x81)));
  EXPECT_TRUE(FrameReader(Sender::kSupervisor).Feed(Header(kMaxRunBytes, 0x01)));
  EXPECT_FALSE(FrameReader(Sender::kSupervisor).Feed(Header(kMaxRunBytes + 1, 0x01)));
}

TEST(FrameReader, NeverRecoversFromAViolation) {
  FrameReader reader(Sender::kGuest);
  const auto first = reader.Feed(Header(0, 0x01));
  const auto second = reader.Feed(Hello());
  ASSERT_FALSE(first);
  ASSERT_FALSE(second);
  EXPECT_EQ(first.error().message(), second.error().message());
}

TEST(FrameReader, StopsListeningAfterEightFrames) {
  FrameReader reader(Sender::kGuest);
  for (std::size_t i = 0; i < kMaxGuestFrames; ++i) EXPECT_TRUE(reader.Feed(Hello()));
  const auto ninth = reader.Feed(Hello());
  ASSERT_FALSE(ninth);
  EXPECT_EQ(ninth.error().message(), "guest protocol: too many frames");
}

TEST(GuestDialogue, IsReadyAfterHelloAndNotBefore) {
  GuestDialogue dialogue;
  const std::string hello = Hello();
  ASSERT_TRUE(dialogue.Feed(std::string_view(hello).substr(0, hello.size() - 1)));
  EXPECT_FALSE(dialogue.ready());
  ASSERT_TRUE(dialogue.Feed(std::string_view(hello).substr(hello.size() - 1)));
  EXPECT_TRUE(dialogue.ready());
  EXPECT_EQ(dialogue.report().guest, "python 3.11.2");
}

TEST(GuestDialogue, CollectsWhatTheGuestReports) {
  GuestDialogue dialogue;
  ASSERT_TRUE(dialogue.Feed(Hello() + ErrorFrame("ValueError", "no", "Traceback\\n") +
                            EncodeFrame(FrameType::kCount, R"({"file_operations":7})") +
                            EncodeFrame(FrameType::kQuota, R"({"limit":"file_operations"})")));
  const GuestReport& report = dialogue.report();
  EXPECT_EQ(report.error, (GuestError{"ValueError", "no", "Traceback\n"}));
  EXPECT_EQ(report.file_operations, 7u);
  EXPECT_EQ(report.quota, "file_operations");
}

TEST(GuestDialogue, TakesACountOfRefusalsWhereThereIsAGuard) {
  GuestDialogue dialogue;
  ASSERT_TRUE(dialogue.Feed(
      Hello() + EncodeFrame(FrameType::kCount, R"({"file_operations":7,"refusals":2})")));
  EXPECT_EQ(dialogue.report().refusals, 2u);
  EXPECT_THAT(
      Complaint(Hello() + EncodeFrame(FrameType::kCount, R"({"file_operations":7,"refusals":-1})")),
      HasSubstr("refusals is not a count"));
}

TEST(GuestDialogue, TakesTheStatusThatTheGuestIsAboutToEndWith) {
  const auto count = [](const char* exits) {
    return Hello() + EncodeFrame(FrameType::kCount,
                                 std::string(R"({"file_operations":7,"exits":)") + exits + "}");
  };
  GuestDialogue dialogue;
  ASSERT_TRUE(dialogue.Feed(count("255")));
  EXPECT_EQ(dialogue.report().exits, 255);
  EXPECT_THAT(Complaint(count("256")), HasSubstr("exits is no exit status"));
  EXPECT_THAT(Complaint(count("-1")), HasSubstr("exits is not a count"));
}

TEST(EncodeRun, TellsTheGuardOnlyWhereThereIsOne) {
  RunMessage run = SomeRun();
  EXPECT_THAT(EncodeRun(run), Not(HasSubstr("guard")));
  run.guard = std::make_shared<const Guard>(
      Guard{"standard", "listed", {"py-eval"}, "socket ssl", "math", "os.path.*"});
  EXPECT_THAT(EncodeRun(run),
              HasSubstr(R"("guard":{"policy":"standard","imports":"listed","refused":["py-eval"],)"
                        R"("forbidden":"socket ssl","allowed":"math","members":"os.path.*"})"));
}

TEST(EncodeRun, TellsWhatIsCompiledInDigitsAndOnlyWhereItIs) {
  RunMessage run = SomeRun();
  EXPECT_THAT(EncodeRun(run), Not(HasSubstr("compiled")));
  run.compiled = std::string("\0\xa7z\n", 4);
  EXPECT_THAT(EncodeRun(run), HasSubstr(R"("compiled":"00a77a0a")"));
}

TEST(GuestDialogue, RefusesEverythingBeforeHello) {
  EXPECT_THAT(Complaint(ErrorFrame("E", "", "")), HasSubstr("spoke before HELLO"));
  EXPECT_THAT(Complaint(EncodeFrame(FrameType::kCount, R"({"file_operations":7})")),
              HasSubstr("spoke before HELLO"));
}

TEST(GuestDialogue, RefusesToHearAnythingTwice) {
  const std::string count = EncodeFrame(FrameType::kCount, R"({"file_operations":7})");
  const std::string quota = EncodeFrame(FrameType::kQuota, R"({"limit":"file_operations"})");
  const std::string error = ErrorFrame("E", "", "");
  EXPECT_THAT(Complaint(Hello() + Hello()), HasSubstr("said twice"));
  for (const std::string& frame : {count, quota, error}) {
    EXPECT_THAT(Complaint(Hello() + frame), IsEmpty());
    EXPECT_THAT(Complaint(Hello() + frame + frame), HasSubstr("said twice"));
  }
}

TEST(GuestDialogue, KeepsTheFirstViolation) {
  GuestDialogue dialogue;
  const Result<> first = dialogue.Feed(Hello() + Hello() + Header(0, 0x01));
  const Result<> later = dialogue.Feed(Hello());
  ASSERT_FALSE(first);
  ASSERT_FALSE(later);
  EXPECT_EQ(first.error().message(), "guest protocol: said twice");
  EXPECT_EQ(later.error().message(), first.error().message());
}

TEST(GuestDialogue, RefusesAHelloThatIsNotExactlyOne) {
  for (const char* payload :
       {"", "[]", "{", R"({"guest":"x"})", R"({"v":1})", R"({"v":2,"guest":"x"})",
        R"({"v":"1","guest":"x"})", R"({"v":1.0,"guest":"x"})", R"({"v":1,"guest":7})",
        R"({"v":1,"guest":"x","more":1})", R"({"v":1,"guest":"x"} {})", "\xFF"}) {
    EXPECT_THAT(Complaint(EncodeFrame(FrameType::kHello, payload)), HasSubstr("guest protocol"))
        << payload;
  }
}

TEST(GuestDialogue, RefusesCountsThatAreNotCounts) {
  for (const char* value : {"-1", "1.5", "\"1\"", "null", "[]", "99999999999999999999"}) {
    const std::string payload = std::string(R"({"file_operations":)") + value + "}";
    EXPECT_THAT(Complaint(Hello() + EncodeFrame(FrameType::kCount, payload)),
                HasSubstr("not a count"))
        << value;
  }
}

TEST(GuestDialogue, RefusesAQuotaItDoesNotKnow) {
  EXPECT_THAT(Complaint(Hello() + EncodeFrame(FrameType::kQuota, R"({"limit":"memory"})")),
              HasSubstr("unknown limit"));
}

TEST(GuestDialogue, HoldsEachFieldOfAnErrorToItsLimit) {
  const auto text = [](std::size_t size) { return std::string(size, 'x'); };
  EXPECT_THAT(Complaint(Hello() + ErrorFrame(text(kMaxErrorTypeBytes), text(kMaxErrorMessageBytes),
                                             text(kMaxErrorTracebackBytes))),
              IsEmpty());
  EXPECT_THAT(Complaint(Hello() + ErrorFrame(text(kMaxErrorTypeBytes + 1), "", "")),
              HasSubstr("type is too long"));
  EXPECT_THAT(Complaint(Hello() + ErrorFrame("", text(kMaxErrorMessageBytes + 1), "")),
              HasSubstr("message is too long"));
  EXPECT_THAT(Complaint(Hello() + ErrorFrame("", "", text(kMaxErrorTracebackBytes + 1))),
              HasSubstr("traceback is too long"));
}

TEST(GuestDialogue, ShowsIllFormedTextAsReplacementCharacters) {
  GuestDialogue dialogue;
  ASSERT_TRUE(dialogue.Feed(Hello() + ErrorFrame("E", "a\xFFz", "")));
  EXPECT_EQ(dialogue.report().error->message, "a\xEF\xBF\xBDz");
}

TEST(GuestDialogue, RefusesDeepNesting) {
  const std::string deep = R"({"type":)" + std::string(10'000, '[');
  EXPECT_THAT(Complaint(Hello() + EncodeFrame(FrameType::kError, deep)),
              HasSubstr("malformed JSON"));
}

TEST(RunMessage, SurvivesTheJourney) {
  const std::string bytes = EncodeRun(SomeRun());
  const auto frames = FrameReader(Sender::kSupervisor).Feed(bytes);
  ASSERT_TRUE(frames);
  ASSERT_EQ(frames->size(), 1u);
  const auto back = DecodeRun(frames->front().payload);
  ASSERT_TRUE(back) << back.error().message();
  EXPECT_EQ(*back, SomeRun());
}

TEST(RunMessage, CarriesACommandInsteadOfCode) {
  RunMessage run;
  run.lang = Language::kBash;
  run.command = {"ls", "-l", "$(touch /tmp/x)"};
  const auto back = DecodeRun(std::string_view(EncodeRun(run)).substr(kHeaderBytes));
  ASSERT_TRUE(back) << back.error().message();
  EXPECT_EQ(*back, run);
}

TEST(RunMessage, IsRefusedWhenMalformed) {
  for (const char* payload :
       {"{}", R"({"v":1,"lang":"python","name":"m","file_operations":1})",
        R"({"v":1,"lang":"perl","code":"","name":"m","file_operations":1})",
        R"({"v":2,"lang":"bash","code":"","name":"m","file_operations":1})",
        R"({"v":1,"lang":"bash","code":"","command":["x"],"name":"m","file_operations":1})",
        R"({"v":1,"lang":"bash","command":[],"name":"m","file_operations":1})",
        R"({"v":1,"lang":"bash","command":"ls","name":"m","file_operations":1})",
        R"({"v":1,"lang":"bash","code":"","name":"m","args":[1],"file_operations":1})",
        R"({"v":1,"lang":"bash","code":"","name":"m","env":{"A":1},"file_operations":1})",
        R"({"v":1,"lang":"bash","code":"","name":"m","extra":1,"file_operations":1})"}) {
    EXPECT_FALSE(DecodeRun(payload)) << payload;
  }
}

TEST(FrameReader, KeepsSessionsAndProgramsApart) {
  const auto legal = [](Sender sender, int type) {
    return static_cast<bool>(FrameReader(sender).Feed(Header(0, static_cast<std::uint8_t>(type))));
  };
  for (const int type : {0x85, 0x86, 0x87}) {
    EXPECT_FALSE(legal(Sender::kGuest, type));
    EXPECT_TRUE(legal(Sender::kSessionGuest, type));
  }
  for (const int type : {0x01, 0x81, 0x83, 0x89}) EXPECT_FALSE(legal(Sender::kSessionGuest, type));
  for (const int type : {0x01, 0x02, 0x03, 0x04, 0x05})
    EXPECT_TRUE(legal(Sender::kSupervisor, type));
  EXPECT_FALSE(legal(Sender::kSupervisor, 0x06));
}

TEST(SessionMessage, SurvivesTheJourney) {
  const SessionMessage session{Language::kBash, {{"HOME", "/w"}}, "/w"};
  const auto back = DecodeSession(std::string_view(EncodeSession(session)).substr(kHeaderBytes));
  ASSERT_TRUE(back) << back.error().message();
  EXPECT_EQ(*back, session);
}

TEST(StatementMessage, SurvivesTheJourney) {
  StatementMessage statement{
      3, "print('\xE2\x82\xAC')", "cell-3.py", {"a", ""}, std::nullopt, 5, nullptr, false};
  for (int turn = 0; turn < 2; ++turn) {
    const auto back =
        DecodeStatement(std::string_view(EncodeStatement(statement)).substr(kHeaderBytes));
    ASSERT_TRUE(back) << back.error().message();
    EXPECT_EQ(*back, statement);
    statement.stdin_text = "";  // an empty stdin, which differs from none
  }
}

TEST(StatementMessage, HasAGuardOnceAndThenAWordForIt) {
  StatementMessage statement;
  statement.guard = std::make_shared<const Guard>(Guard{"own", "any", {"py-eval"}, "a", "b", "c"});
  const std::string whole = EncodeStatement(statement);
  EXPECT_NE(whole.find(R"("guard":{"policy":"own")"), std::string::npos);
  statement.same_guard = true;
  EXPECT_NE(EncodeStatement(statement).find(R"("guard":"same")"), std::string::npos);
  statement.guard = nullptr;
  EXPECT_EQ(EncodeStatement(statement).find("guard"), std::string::npos);
}

TEST(SessionMessage, IsRefusedWhenMalformed) {
  for (const char* payload :
       {"{}", R"({"v":2,"lang":"bash","env":{},"workspace":"/w"})",
        R"({"v":1,"lang":"perl","env":{},"workspace":"/w"})", R"({"v":1,"lang":"bash","env":{}})",
        R"({"v":1,"lang":"bash","env":[],"workspace":"/w"})",
        R"({"v":1,"lang":"bash","env":{},"workspace":"/w","code":""})"}) {
    EXPECT_FALSE(DecodeSession(payload)) << payload;
  }
}

TEST(StatementMessage, IsRefusedWhenMalformed) {
  for (const char* payload :
       {"{}", R"({"n":1,"code":"","name":"m","args":[],"stdin":null})",
        R"({"n":1,"code":"","name":"m","args":[],"file_operations":0})",
        R"({"n":1,"code":"","name":"m","args":[],"stdin":true,"file_operations":0})",
        R"({"n":-1,"code":"","name":"m","args":[],"stdin":null,"file_operations":0})",
        R"({"n":1,"code":7,"name":"m","args":[],"stdin":null,"file_operations":0})",
        R"({"n":1,"code":"","name":"m","args":"x","stdin":null,"file_operations":0})",
        R"({"n":1,"code":"","name":"m","args":[],"stdin":null,"file_operations":0,"x":1})"}) {
    EXPECT_FALSE(DecodeStatement(payload)) << payload;
  }
}

}  // namespace
}  // namespace belljar::cell::guest
