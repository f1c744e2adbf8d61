#include "cell/docker/engine_api.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "foundation/http/client/testing.h"

namespace belljar::cell::docker {
namespace {

using http::client::HearUntil;
using http::client::Listening;
using http::client::Say;
using testing::HasSubstr;
using testing::StartsWith;

constexpr const char* kVersion =
    R"({"Version":"20.10.24","ApiVersion":"1.41","MinAPIVersion":"1.12"})";

std::string AnswerOf(std::string_view status, std::string_view body) {
  return "HTTP/1.1 " + std::string(status) + "\r\nContent-Length: " + std::to_string(body.size()) +
         "\r\n\r\n" + std::string(body);
}

// A daemon that answers `version` when it is asked for its version, and `answer` to all other
// requests.
struct FakeDocker {
  explicit FakeDocker(std::string version, std::string answer)
      : listening([this, version, answer](const Fd& caller) {
          heard = HearUntil(caller, "\r\n\r\n");
          Say(caller, heard.starts_with("GET /version ") ? AnswerOf("200 OK", version) : answer);
        }) {}
  std::string heard;
  Listening listening;
};

TEST(EngineApi, SpeaksAVersionThatTheDaemonKnows) {
  const std::pair<const char*, const char*> versions[] = {
      {kVersion, "GET /v1.41/info "},
      {R"({"Version":"29.0","ApiVersion":"1.52","MinAPIVersion":"1.44"})", "GET /v1.44/info "},
      {R"({"Version":"19.03","ApiVersion":"1.40","MinAPIVersion":"1.12"})", "GET /v1.40/info "},
  };
  for (const auto& [version, asked] : versions) {
    FakeDocker docker(version, AnswerOf("200 OK", R"({"a":{"b":"c","n":7}})"));
    const auto api = EngineApi::Open(docker.listening.path());
    ASSERT_TRUE(api) << api.error().message();
    const auto answer = api->Get("/info");
    ASSERT_TRUE(answer) << answer.error().message();
    EXPECT_EQ(TextAt(*answer, "/a/b"), "c");
    EXPECT_EQ(NumberAt(*answer, "/a/n"), 7);
    EXPECT_EQ(TextAt(*answer, "/a/none"), "");
    EXPECT_THAT(docker.heard, StartsWith(asked));
  }
}

TEST(EngineApi, NobodyThereIsToldWithWhatToDo) {
  const auto api = EngineApi::Open("/nowhere/docker.sock");
  ASSERT_FALSE(api);
  EXPECT_EQ(api.error().kind(), Kind::kNotFound);
  EXPECT_THAT(api.error().message(), HasSubstr("no Docker daemon listens on /nowhere/docker.sock"));
  EXPECT_THAT(api.error().message(), HasSubstr("docker.socket"));
}

TEST(EngineApi, WhoeverIsNoDockerIsNotTakenForOne) {
  FakeDocker docker(R"({"name":"something else"})", "");
  const auto api = EngineApi::Open(docker.listening.path());
  ASSERT_FALSE(api);
  EXPECT_THAT(api.error().message(), HasSubstr("is no Docker"));
}

TEST(EngineApi, ARefusalHasTheDaemonsWords) {
  const std::tuple<const char*, Kind, int> refusals[] = {
      {"404 Not Found", Kind::kNotFound, 0},
      {"409 Conflict", Kind::kUnavailable, EBUSY},
      {"400 Bad Request", Kind::kInvalid, 0},
      {"500 Oh", Kind::kUnavailable, 0},
  };
  for (const auto& [status, kind, sys] : refusals) {
    FakeDocker docker(kVersion, AnswerOf(status, R"({"message":"its words"})"));
    const auto api = EngineApi::Open(docker.listening.path());
    ASSERT_TRUE(api);
    const auto answer = api->Post("/containers/create", {{"Image", "x"}});
    ASSERT_FALSE(answer);
    EXPECT_EQ(answer.error().kind(), kind) << status;
    EXPECT_EQ(answer.error().sys(), sys) << status;
    EXPECT_THAT(answer.error().message(), HasSubstr("its words"));
  }
}

TEST(EngineApi, AnImportThatFailsAfterItsStatusFails) {
  FakeDocker docker(kVersion, AnswerOf("200 OK", R"({"error":"no space left"})"));
  const auto api = EngineApi::Open(docker.listening.path());
  ASSERT_TRUE(api);
  const auto made = api->Import({"belljar/image:t", "a=b"},
                                [](const http::client::BodySink&) { return Result<>(); });
  ASSERT_FALSE(made);
  EXPECT_THAT(made.error().message(), HasSubstr("no space left"));
  EXPECT_THAT(docker.heard, HasSubstr("repo=belljar%2Fimage%3At&changes=LABEL%20a%3Db"));
}

TEST(EngineApi, FiltersAreEscapedJson) {
  EXPECT_EQ(LabelFilter("a", "b"), "%7B%22label%22%3A%5B%22a%3Db%22%5D%7D");
}

}  // namespace
}  // namespace belljar::cell::docker
