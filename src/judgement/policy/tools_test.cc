#include "judgement/policy/tools.h"

#include <gtest/gtest.h>

#include "judgement/policy/policy.h"

namespace belljar::judgement::policy {
namespace {

constexpr std::string_view kText = R"(
extends = "strict"
[tools.github]
command = ["github-mcp", "--stdio"]
pass = ["GITHUB_TOKEN"]
allow = ["search", "get_*"]
ask = ["create_*"]
max_calls = 5
calls_per_minute = 3
argument_bytes = "1K"
result_bytes = "2M"
timeout = "5s"
[[tools.github.rules]]
tool = "get_*"
argument = "repo.owner"
in = ["me", "us-*"]
[[tools.github.rules]]
tool = "search"
argument = "words"
matches = "^[a-z]+$"
)";

json::object Arguments(std::string_view text) { return ParseJson(text)->as_object(); }

TEST(ToolTerms, AreReadFromAPolicy) {
  const auto policy = ParsePolicy(kText, "test");
  ASSERT_TRUE(policy) << policy.error().message();
  const ToolServer& github = policy->tools.at("github");
  EXPECT_EQ(github.command.size(), 2U);
  EXPECT_EQ(github.max_calls, 5U);
  EXPECT_EQ(github.result_bytes, 2U << 20);
  EXPECT_EQ(github.timeout.count(), 5'000);
  EXPECT_EQ(github.rules.size(), 2U);
}

TEST(ToolTerms, AllowNothingThatIsNotListed) {
  const ToolServer github = ParsePolicy(kText, "test")->tools.at("github");
  EXPECT_EQ(JudgeTool(github, "search"), ToolVerdict::kAllow);
  EXPECT_EQ(JudgeTool(github, "get_issue"), ToolVerdict::kAllow);
  EXPECT_EQ(JudgeTool(github, "create_issue"), ToolVerdict::kAsk);
  EXPECT_EQ(JudgeTool(github, "delete"), ToolVerdict::kDeny);
  EXPECT_EQ(JudgeTool(github, "searching"), ToolVerdict::kDeny);
  EXPECT_EQ(JudgeTool(ToolServer{}, "search"), ToolVerdict::kDeny);
}

TEST(ToolTerms, LetNoPathClimbOutOfAPattern) {
  ToolServer files;
  files.rules.push_back({"*", "path", {"/srv/**"}, ""});
  const auto refused = [&](const char* path) {
    return RefuseArguments(files, "read", {{"path", path}}).has_value();
  };
  for (const char* const path : {"/srv/../etc/shadow", "/srv/a/..", "/srv/..\\x", "/srv//../x"}) {
    EXPECT_TRUE(refused(path)) << path;
  }
  for (const char* const path : {"/srv/a", "/srv/..a", "/srv/a..b/c...", "/srv/.../x"}) {
    EXPECT_FALSE(refused(path)) << path;
  }
}

TEST(ToolTerms, HoldArgumentsToTheirRules) {
  const ToolServer github = ParsePolicy(kText, "test")->tools.at("github");
  const auto refused = [&](std::string_view tool, std::string_view text) {
    return RefuseArguments(github, tool, Arguments(text)).has_value();
  };
  EXPECT_FALSE(refused("get_x", R"({"repo":{"owner":"me"}})"));
  EXPECT_FALSE(refused("get_x", R"({"repo":{"owner":["me","us-two"]}})"));
  EXPECT_TRUE(refused("get_x", R"({"repo":{"owner":["me","them"]}})"));
  EXPECT_TRUE(refused("get_x", R"({"repo":{"owner":{"me":1}}})"));
  EXPECT_TRUE(refused("get_x", R"({"repo":"me"})"));
  EXPECT_TRUE(refused("get_x", "{}"));
  EXPECT_FALSE(refused("search", R"({"words":"abc"})"));
  EXPECT_TRUE(refused("search", R"({"words":"abc; rm"})"));
  EXPECT_FALSE(refused("other", "{}"));
}

TEST(ToolTerms, AnEmptyListSatisfiesNoRule) {
  const ToolServer github = ParsePolicy(kText, "test")->tools.at("github");
  EXPECT_TRUE(RefuseArguments(github, "get_x", Arguments(R"({"repo":{"owner":[]}})")));
  EXPECT_TRUE(RefuseArguments(github, "get_x", Arguments(R"({"repo":{"owner":["me",[]]}})")));
  EXPECT_TRUE(RefuseArguments(github, "search", Arguments(R"({"words":[]})")));
}

TEST(ToolTerms, PatternsMatchNoControlCharacters) {
  const ToolServer github = ParsePolicy(kText, "test")->tools.at("github");
  for (const char* const owner :
       {"us-\\nthem", "us-\\u0000", "us-\\u001f", "us-\\u007f", "\\tme"}) {
    const std::string text = R"({"repo":{"owner":")" + std::string(owner) + R"("}})";
    EXPECT_TRUE(RefuseArguments(github, "get_x", Arguments(text))) << text;
  }
  EXPECT_FALSE(
      RefuseArguments(github, "get_x", Arguments("{\"repo\":{\"owner\":\"us-\u00e9 x\"}}")));
}

TEST(ToolTerms, OpenTheModuleThatCallsTools) {
  EXPECT_GT(Covers(ParsePolicy(kText, "test")->python.allowed, "belljar"), 0U);
  EXPECT_EQ(Covers((*Preset("strict"))->python.allowed, "belljar"), 0U);
}

TEST(ToolTerms, RefuseWhatMakesNoSense) {
  const auto says = [](std::string_view table) {
    const auto policy = ParsePolicy("extends = \"strict\"\n" + std::string(table), "test");
    return policy ? std::string("no error") : policy.error().message();
  };
  EXPECT_NE(says("[tools.a]\ncomand = [\"x\"]").find("did you mean \"command\"?"),
            std::string::npos);
  EXPECT_NE(says("[tools.a]\nallow = []").find("exactly one of"), std::string::npos);
  EXPECT_NE(says("[tools.a]\ncommand = [\"x\"]\nurl = \"http://x\"").find("exactly one of"),
            std::string::npos);
  EXPECT_NE(says("[tools.a]\nurl = \"http://x\"\nheaders = { A = \"secret\" }").find("no secrets"),
            std::string::npos);
  EXPECT_NE(says("[tools.1a]\nurl = \"http://x\"").find("a letter first"), std::string::npos);
  EXPECT_NE(says("[tools.a]\nurl = \"ftp://x\"").find("begins with http"), std::string::npos);
  EXPECT_NE(says("[tools.a]\nurl = \"http://x\"\nrules = [{ tool = \"x\", argument = \"y\", "
                 "matches = \"(\" }]")
                .find("matches"),
            std::string::npos);
  EXPECT_NE(says("[tools.a]\nurl = \"http://x\"\nmax_calls = 0").find("from 1 to"),
            std::string::npos);
}

}  // namespace
}  // namespace belljar::judgement::policy
