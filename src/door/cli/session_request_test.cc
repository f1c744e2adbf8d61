#include "door/cli/session_request.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "request/request_json.h"

namespace belljar::door::cli {
namespace {

TEST(SessionRequest, LeavesOutWhatTheSessionWasMadeWith) {
  request::Request request;
  request.id = "r";
  request.code = "1";
  request.env = {{"A", "b"}};
  request.stdin_bytes = "in";
  std::vector<std::string> keys;
  for (const auto& [key, value] : RunPart(request)) keys.emplace_back(key);
  EXPECT_THAT(keys,
              testing::UnorderedElementsAre("id", "code", "stdin", "timeout", "cpu_time",
                                            "output_lines", "output_bytes", "file_operations"));
}

std::vector<std::string> KeysOf(const json::object& object) {
  std::vector<std::string> keys;
  for (const auto& [key, value] : object) keys.emplace_back(key);
  return keys;
}

// Every key of a request belongs to the session or to a run, or is refused by name; add new keys
// here.
TEST(SessionRequest, DropsNothingOfARequest) {
  request::Request request;
  request.id = "r";
  request.backend = request::BackendKind::kGvisor;
  request.level = "strict";
  request.reason = request.correlation_id = "w";
  request.input = request.input_schema = request.output_schema = json::object();
  request.env = {{"A", "b"}};
  request.args = request.fetch = request.allow_hosts = {"a"};
  request.files = {{"f", "bytes"}};
  request.writes = {{"*"}};
  request.text = TextMode::kPlain;
  request.artefacts = {*request::ParseArtefact("a")};
  RunFlags flags;
  flags.session = "s";
  std::vector<std::string> carried = KeysOf(RunPart(request));
  for (const std::string& key : KeysOf(request::ToJson(request))) {
    if (!std::ranges::count(carried, key)) flags.limits[key] = "1";
  }
  const json::object made = SessionPart(flags, request);
  EXPECT_EQ(made.at("backend"), "gvisor");
  EXPECT_EQ(made.at("level"), "strict");
  std::ranges::copy(KeysOf(made), std::back_inserter(carried));
  std::vector<std::string> expected = KeysOf(request::ToJson(request));
  expected.emplace_back("name");
  EXPECT_THAT(carried, testing::UnorderedElementsAreArray(expected));
}

TEST(SessionRequest, WhatASessionWasMadeWithMayBeSaidAgainAndNothingElse) {
  const json::object session = {
      {"lang", "python"}, {"image", "mine"}, {"backend", "gvisor"}, {"level", "strict"}};
  RunFlags flags;
  flags.session = "s";
  flags.image = "mine";
  flags.backend = "gvisor";
  flags.level = "strict";
  EXPECT_TRUE(CheckFits(session, flags));
  flags.backend = "docker";
  EXPECT_EQ(CheckFits(session, flags).error().message(),
            "session \"s\" was made with the backend gvisor, and --backend says \"docker\"");
  flags.backend.clear();
  flags.level = "relaxed";
  EXPECT_EQ(CheckFits({{"image", "mine"}}, flags).error().message(),
            "session \"s\" was made without a level of its own, and --level or BELLJAR_LEVEL says "
            "\"relaxed\"");
  flags.level.clear();
  flags.image = "other";
  EXPECT_EQ(CheckFits(session, flags).error().message(),
            "session \"s\" was made with the image mine, and --image says \"other\"");
}

TEST(SessionRequest, KnowsWhatCanBeAName) {
  for (const char* good : {"a", "A-1_b.c", "s-0123456789abcdef01234567"}) {
    EXPECT_TRUE(CheckHandle(good)) << good;
  }
  for (const std::string& bad : {std::string(), std::string("a b"), std::string("a/b"),
                                 std::string("-c"), std::string("é"), std::string(129, 'x')}) {
    EXPECT_FALSE(CheckHandle(bad)) << bad;
  }
}

TEST(SessionRequest, NamesThePathOfASession) {
  EXPECT_EQ(SessionPath("a", "/runs"), "/v1/sessions/a/runs");
}

}  // namespace
}  // namespace belljar::door::cli
