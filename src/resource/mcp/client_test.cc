#include "resource/mcp/client.h"

#include <gtest/gtest.h>

#include <deque>

namespace belljar::resource::mcp {
namespace {

// Returns scripted replies in order, and records the requests.
class Scripted final : public Channel {
 public:
  explicit Scripted(std::deque<Result<Reply>> replies) : replies_(std::move(replies)) {}

  Result<Reply> Ask(std::string_view method, const json::object& params, const Patience&) override {
    asked().push_back(std::string(method) + " " + json::serialize(params));
    if (replies_.empty()) return Error(Kind::kUnavailable, "nothing more");
    Result<Reply> reply = std::move(replies_.front());
    replies_.pop_front();
    return reply;
  }
  Result<> Tell(std::string_view method, const json::object&) override {
    asked().emplace_back(method);
    return {};
  }
  void Speak(Revision revision) override {
    asked().push_back("speak " + std::string(RevisionName(revision)));
  }
  std::optional<Error> failure() override { return std::nullopt; }
  bool TakeListChanged() override { return false; }

  static std::vector<std::string>& asked() {
    static std::vector<std::string> all;
    return all;
  }

 private:
  std::deque<Result<Reply>> replies_;
};

Reply Says(std::string_view text) {
  Reply reply;
  reply.result = ParseJson(text)->as_object();
  return reply;
}

Reply Fails(std::int64_t code, std::string_view data = "null") {
  Reply reply;
  reply.error = RpcError{code, "no", *ParseJson(data)};
  return reply;
}

const Patience kPatient{Clock::now() + std::chrono::hours(1), {}};

Result<std::unique_ptr<Client>> OpenWith(std::deque<Result<Reply>> replies) {
  Scripted::asked().clear();
  return Client::Open(std::make_unique<Scripted>(std::move(replies)), Opening::kDiscover, kPatient);
}

TEST(McpClient, SpeaksTheNewestRevisionWhereTheServerDoes) {
  const auto client = OpenWith({Says(R"({"supportedVersions":["2026-07-28","2025-11-25"]})"),
                                Says(R"({"content":[],"resultType":"complete"})")});
  ASSERT_TRUE(client) << client.error().message();
  EXPECT_EQ((*client)->revision(), Revision::k2026_07_28);
  ASSERT_TRUE((*client)->Call("add", {}, kPatient));
  EXPECT_NE(Scripted::asked().back().find("io.modelcontextprotocol/protocolVersion\":\"2026-07-28"),
            std::string::npos);
}

TEST(McpClient, GreetsOlderServersTheOldWay) {
  for (const char* const version : {"2025-11-25", "2025-06-18"}) {
    const auto client = OpenWith({Fails(kMethodNotFound),
                                  Says(std::string(R"({"protocolVersion":")") + version + "\"}"),
                                  Says(R"({"content":[]})")});
    ASSERT_TRUE(client) << version;
    EXPECT_EQ(RevisionName((*client)->revision()), version);
    EXPECT_EQ(Scripted::asked().back(), "notifications/initialized");
    ASSERT_TRUE((*client)->Call("add", {}, kPatient));
    EXPECT_EQ(Scripted::asked().back(), R"(tools/call {"name":"add","arguments":{}})");
  }
}

TEST(McpClient, TakesAListOfOlderVersionsForAnInvitation) {
  const auto client = OpenWith({Fails(kUnsupportedVersion, R"({"supported":["2025-11-25"]})"),
                                Says(R"({"protocolVersion":"2025-11-25"})")});
  ASSERT_TRUE(client);
  EXPECT_EQ((*client)->revision(), Revision::k2025_11_25);
}

TEST(McpClient, AServerThatWasSlowToStartMayHaveTakenTheFirstQuestion) {
  const auto client = OpenWith({Error(Kind::kExhausted, "silence"),
                                Fails(kUnsupportedVersion, R"({"supported":["2026-07-28"]})"),
                                Says(R"({"content":[]})")});
  ASSERT_TRUE(client) << client.error().message();
  EXPECT_EQ((*client)->revision(), Revision::k2026_07_28);
  EXPECT_EQ(Scripted::asked().back(), "speak 2026-07-28");
}

TEST(McpClient, RefusesServersThatSpeakNothingOfOurs) {
  EXPECT_FALSE(OpenWith({Fails(kUnsupportedVersion, R"({"supported":["2031-01-01"]})")}));
  EXPECT_FALSE(OpenWith({Says(R"({"supportedVersions":["2031-01-01"]})")}));
  EXPECT_FALSE(OpenWith({Fails(kMethodNotFound), Says(R"({"protocolVersion":"2024-11-05"})")}));
  EXPECT_FALSE(OpenWith({Fails(kMethodNotFound), Says(R"({"protocolVersion":"2026-07-28"})")}));
  EXPECT_FALSE(OpenWith({Fails(kMethodNotFound), Fails(-32602)}));
}

TEST(McpClient, ReadsAllPagesOfAListAndEndsOneWithoutEnd) {
  const auto page = [](std::string_view name, std::string_view next) {
    return Says(std::string(R"({"tools":[{"name":")") + std::string(name) +
                R"(","inputSchema":{"type":"object"}}])" + std::string(next) + "}");
  };
  const Reply newest = Says(R"({"supportedVersions":["2026-07-28"]})");
  const auto client = OpenWith({newest, page("a", R"(,"nextCursor":"2")"), page("b", "")});
  const auto tools = (*client)->Tools(kPatient);
  ASSERT_TRUE(tools);
  ASSERT_EQ(tools->size(), 2U);
  EXPECT_EQ((*tools)[1].name, "b");
  std::deque<Result<Reply>> endless{newest};
  for (std::size_t i = 0; i <= kMostPages; ++i)
    endless.push_back(page("a", R"(,"nextCursor":"x")"));
  EXPECT_FALSE((*OpenWith(std::move(endless)))->Tools(kPatient));
}

TEST(McpTool, LeavesOutWhatNobodyCouldCall) {
  std::vector<Tool> tools;
  const auto added =
      AddTools(ParseJson(R"({"tools":[{"name":"ok","inputSchema":{}},{"name":"no space",
    "inputSchema":{}},{"name":"none"},7,{"name":"ok","inputSchema":{}}]})")
                   ->as_object(),
               tools);
  ASSERT_TRUE(added);
  ASSERT_EQ(tools.size(), 1U);
  EXPECT_EQ(tools[0].name, "ok");
}

TEST(McpTool, RefusesAnswersThatAreNone) {
  for (const char* const text : {R"({"content":3})", R"({"content":[3]})", R"({"content":[{}]})",
                                 R"({"isError":"yes"})", R"({"resultType":"input_required"})"}) {
    EXPECT_FALSE(ReadCallResult(ParseJson(text)->as_object())) << text;
  }
}

}  // namespace
}  // namespace belljar::resource::mcp
