#include "resource/tools/run_tools.h"

#include <gtest/gtest.h>

namespace belljar::resource::tools {
namespace {

// The servers cannot be started, so a call that passes all checks ends as "unavailable" or
// "not_found".
judgement::policy::ToolServers Terms() {
  judgement::policy::ToolServer server;
  server.command = {"/nowhere/at/all"};
  server.allow = {"get_*"};
  server.ask = {"create_*"};
  server.rules = {{"get_file", "path", {"docs/*"}, ""}};
  server.max_calls = 5;
  server.calls_per_minute = 100;
  server.argument_bytes = 64;
  return {{"test", server}};
}

class ToolRunTest : public testing::Test {
 protected:
  ToolRunTest() {
    hooks_.terms_now = [this](const std::string&) {
      return still_ ? std::make_shared<const judgement::policy::ToolServer>(now_) : nullptr;
    };
    hooks_.ask = [this](const ToolCall& call, const std::stop_token&) -> Result<> {
      asked_.push_back(call.tool);
      if (agrees_) return {};
      return Error(Kind::kDenied, "a person said no");
    };
    hooks_.record = [this](const ToolRecord& record) -> Result<> {
      recorded_.push_back(record.call.tool + " " + record.outcome);
      if (records_) return {};
      return Error(Kind::kUnavailable, "the disk is full");
    };
  }

  std::shared_ptr<ToolRun> Run() {
    return std::make_shared<ToolRun>(servers_, Terms(), hooks_, counts_);
  }

  static json::object Ask(ToolRun& run, std::string_view line) {
    return ParseJson(run.Answer(line))->as_object();
  }
  static std::string KindOfError(ToolRun& run, std::string_view tool,
                                 std::string_view arguments = "{}") {
    const json::object answer = Ask(
        run, R"({"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"server":"test","tool":")" +
                 std::string(tool) + R"(","arguments":)" + std::string(arguments) + "}}");
    return std::string(answer.at("error").at("data").at("kind").as_string());
  }

  McpServers servers_{nullptr};
  std::shared_ptr<ToolCounts> counts_ = std::make_shared<ToolCounts>();
  ToolHooks hooks_;
  judgement::policy::ToolServer now_ = Terms().at("test");
  bool still_ = true, agrees_ = true, records_ = true;
  std::vector<std::string> asked_, recorded_;
};

TEST_F(ToolRunTest, DeniesWhatThePolicyDoesNotList) {
  const auto run = Run();
  EXPECT_EQ(KindOfError(*run, "delete"), "denied");
  EXPECT_EQ(recorded_, std::vector<std::string>{"delete denied"});
  const auto other = Ask(*run, R"({"jsonrpc":"2.0","id":"a","method":"tools/call",
                                   "params":{"server":"others","tool":"get_x"}})");
  EXPECT_EQ(other.at("error").at("data").at("kind"), "denied");
  EXPECT_EQ(other.at("id"), "a");
  EXPECT_EQ(run->calls(), 0U);
}

TEST_F(ToolRunTest, LetsThroughWhatItLists) {
  const auto run = Run();
  EXPECT_EQ(KindOfError(*run, "get_x"), "not_found");  // reached the program, which does not exist
  EXPECT_EQ(run->calls(), 1U);
  EXPECT_TRUE(asked_.empty());
}

TEST_F(ToolRunTest, HoldsArgumentsToTheirRulesAndSize) {
  const auto run = Run();
  EXPECT_EQ(KindOfError(*run, "get_file", R"({"path":"etc/passwd"})"), "denied");
  EXPECT_EQ(KindOfError(*run, "get_file", R"({"path":"docs/a"})"), "not_found");
  EXPECT_EQ(KindOfError(*run, "get_x", R"({"a":")" + std::string(64, 'x') + "\"}"), "invalid");
  EXPECT_EQ(run->calls(), 1U);
}

TEST_F(ToolRunTest, RefusesNumbersThatWouldBeChangedByName) {
  const auto run = Run();
  for (const char* const number : {"12345678901234567890123", "-9223372036854775809", "1e400"}) {
    const auto answer =
        Ask(*run, R"({"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"server":"test",)"
                  R"("tool":"get_x","arguments":{"a":{"n":[)" +
                      std::string(number) + "]}}}}");
    EXPECT_EQ(answer.at("error").at("data").at("kind"), "invalid");
    EXPECT_NE(answer.at("error").at("message").as_string().find("the number of \"a.n\" is beyond"),
              json::string::npos);
    EXPECT_EQ(answer.at("id"), 1);
  }
  EXPECT_EQ(run->calls(), 0U);
  EXPECT_EQ(KindOfError(*run, "get_x", R"({"n":18446744073709551615})"), "not_found");
}

TEST_F(ToolRunTest, SpeaksJsonRpc2AndNothingElse) {
  const auto run = Run();
  for (const char* const version : {R"("jsonrpc":"1.0",)", R"("jsonrpc":2.0,)", ""}) {
    const auto answer =
        Ask(*run, "{" + std::string(version) + R"("id":1,"method":"servers/list"})");
    EXPECT_EQ(answer.at("error").at("code"), -32600) << version;
  }
  EXPECT_TRUE(Ask(*run, R"({"jsonrpc":"2.0","id":1,"method":"servers/list"})").contains("result"));
}

TEST_F(ToolRunTest, AsksAPersonWhereThePolicyDoes) {
  const auto run = Run();
  EXPECT_EQ(KindOfError(*run, "create_x"), "not_found");
  agrees_ = false;
  EXPECT_EQ(KindOfError(*run, "create_y"), "denied");
  EXPECT_EQ(asked_, (std::vector<std::string>{"create_x", "create_y"}));
  EXPECT_EQ(run->calls(), 1U);
}

TEST_F(ToolRunTest, CountsTheCallsOfACellOverAllItsRuns) {
  for (int i = 0; i < 5; ++i) EXPECT_EQ(KindOfError(*Run(), "delete"), "denied");
  EXPECT_EQ(KindOfError(*Run(), "delete"), "exhausted");
}

TEST_F(ToolRunTest, RecordsWhatIsBeyondALimitAndOfAFloodTheBeginning) {
  const auto run = Run();
  for (int i = 0; i < 5; ++i) EXPECT_EQ(KindOfError(*run, "delete"), "denied");
  EXPECT_EQ(KindOfError(*run, "delete"), "exhausted");
  Ask(*run,
      R"({"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"server":"others","tool":"get_x"}})");
  ASSERT_EQ(recorded_.size(), 7U);
  EXPECT_EQ(recorded_[5], "delete exhausted");
  EXPECT_EQ(recorded_[6], "get_x denied");
  for (int i = 0; i < 10; ++i) EXPECT_EQ(KindOfError(*run, "delete"), "exhausted");
  EXPECT_EQ(recorded_.size(), 5 + ToldRefusals::kMost);
}

TEST_F(ToolRunTest, HasNoMoreThanAreAllowedInAMinute) {
  judgement::policy::ToolServers terms = Terms();
  terms.at("test").calls_per_minute = 2;
  ToolRun run(servers_, terms, hooks_, counts_);
  EXPECT_EQ(KindOfError(run, "delete"), "denied");
  EXPECT_EQ(KindOfError(run, "delete"), "denied");
  EXPECT_EQ(KindOfError(run, "delete"), "exhausted");
}

TEST_F(ToolRunTest, GivesWhatWasTakenAwayToNobody) {
  const auto run = Run();
  still_ = false;
  EXPECT_EQ(KindOfError(*run, "get_x"), "denied");
  EXPECT_EQ(run->calls(), 0U);
}

TEST_F(ToolRunTest, ListsNothingOfAServerThatWasTakenAway) {
  const auto run = Run();
  still_ = false;
  const auto answer =
      Ask(*run, R"({"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"server":"test"}})");
  EXPECT_EQ(answer.at("error").at("data").at("kind"), "denied") << "nor starts it";
}

TEST_F(ToolRunTest, IsHeldToWhatThePolicyHasBecome) {
  const auto run = Run();
  now_.rules.push_back({"get_*", "a", {"inside"}, ""});
  EXPECT_EQ(KindOfError(*run, "get_x", R"({"a":"outside"})"), "denied");
  EXPECT_EQ(KindOfError(*run, "get_x", R"({"a":"inside"})"), "not_found");
  now_.ask = {"*"};
  agrees_ = false;
  EXPECT_EQ(KindOfError(*run, "get_x", R"({"a":"inside"})"), "denied");
  EXPECT_EQ(asked_, std::vector<std::string>{"get_x"});
  now_ = {};
  now_.allow = {"*"};
  EXPECT_EQ(KindOfError(*run, "delete"), "denied") << "it never had that";
  EXPECT_EQ(run->calls(), 1U);
}

TEST_F(ToolRunTest, EndsWhatWaitsWhenItsArgumentsAreNotAllowedAnyMore) {
  std::shared_ptr<ToolRun> run;
  hooks_.ask = [&](const ToolCall&, const std::stop_token& stop) -> Result<> {
    run->Recheck();
    EXPECT_FALSE(stop.stop_requested());
    now_.rules.push_back({"create_*", "a", {"inside"}, ""});
    run->Recheck();
    EXPECT_TRUE(stop.stop_requested());
    return {};
  };
  run = Run();
  EXPECT_EQ(KindOfError(*run, "create_x", R"({"a":"outside"})"), "denied");
  EXPECT_EQ(run->calls(), 0U);
}

TEST_F(ToolRunTest, EndsWhatWaitsWhenItIsTakenAwayOrOver) {
  for (const bool revoked : {true, false}) {
    still_ = true;
    std::shared_ptr<ToolRun> run;
    hooks_.ask = [&](const ToolCall&, const std::stop_token& stop) -> Result<> {
      still_ = !revoked;
      revoked ? run->Recheck() : run->Stop();
      EXPECT_TRUE(stop.stop_requested());
      return {};
    };
    run = Run();
    EXPECT_EQ(KindOfError(*run, "create_x"), "denied");
    EXPECT_EQ(run->calls(), 0U);
  }
}

TEST_F(ToolRunTest, HasNothingLeftOnceAllIsTakenAway) {
  const auto run = Run();
  EXPECT_EQ(KindOfError(*run, "get_x"), "not_found");
  run->RevokeTools();
  EXPECT_EQ(KindOfError(*run, "get_x"), "denied");
  EXPECT_EQ(run->calls(), 1U);
}

TEST_F(ToolRunTest, HandsOutNothingThatCannotBeRecorded) {
  records_ = false;
  EXPECT_EQ(KindOfError(*Run(), "delete"), "unavailable");
}

TEST_F(ToolRunTest, AnswersNonsenseWithAnError) {
  const auto run = Run();
  for (
      const char* const line :
      {"x", "[]", "{}", R"({"jsonrpc":"2.0","id":[],"method":"tools/call"})",
       R"({"jsonrpc":"2.0","id":1,"method":7})",
       R"({"jsonrpc":"2.0","id":1,"method":"tools/call","params":[]})",
       R"({"jsonrpc":"2.0","id":1,"method":"initialize"})",
       R"({"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"server":"test","tool":"get_x","arguments":[]}})",
       R"({"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"tool":"get_x"}})",
       R"({"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"server":"test","tool":"get_\r\nX: y"}})"}) {
    EXPECT_TRUE(Ask(*run, line).contains("error")) << line;
  }
  EXPECT_EQ(run->calls(), 0U);
  EXPECT_TRUE(Ask(*run, std::string(100'000, '[')).contains("error"));
}

TEST_F(ToolRunTest, NamesTheServersOfThePolicy) {
  EXPECT_EQ(json::serialize(
                Ask(*Run(), R"({"jsonrpc":"2.0","id":1,"method":"servers/list"})").at("result")),
            R"({"servers":["test"]})");
}

}  // namespace
}  // namespace belljar::resource::tools
