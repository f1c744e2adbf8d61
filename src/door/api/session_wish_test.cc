#include "door/api/session_wish.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace belljar::door::api {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;

std::string Verdict(const auto& parsed) { return parsed ? "accepted" : parsed.error().message(); }

TEST(SessionWish, AnEmptyBodyIsAPythonSession) {
  const auto wish = ParseSessionWish("");
  ASSERT_TRUE(wish);
  EXPECT_EQ(wish->shape.lang, request::Lang::kPython);
  EXPECT_FALSE(wish->wall_budget.has_value());
}

TEST(SessionWish, TakesWhatACellIsBuiltToAndTimes) {
  const auto wish = ParseSessionWish(
      R"({"name":"a-1","lang":"bash","memory":"64M","idle_timeout":"2m","wall_budget":1.5})");
  ASSERT_TRUE(wish) << wish.error().message();
  EXPECT_EQ(wish->name, "a-1");
  EXPECT_EQ(wish->shape.lang, request::Lang::kBash);
  EXPECT_EQ(wish->shape.limits.memory_bytes, 64 * request::kMiB);
  EXPECT_EQ(wish->idle, 2min);
  EXPECT_EQ(wish->wall_budget, 1500ms);
  const auto walled = ParseSessionWish(R"({"backend":"gvisor","level":"strict"})");
  ASSERT_TRUE(walled) << walled.error().message();
  EXPECT_EQ(walled->shape.backend, request::BackendKind::kGvisor);
  EXPECT_EQ(walled->shape.level, "strict");
}

TEST(SessionWish, RefusesByName) {
  EXPECT_THAT(Verdict(ParseSessionWish(R"({"code":"1"})")), HasSubstr("\"code\" belongs to a run"));
  EXPECT_THAT(Verdict(ParseSessionWish(R"({"mem":"1G"})")), HasSubstr("mem"));
  EXPECT_THAT(Verdict(ParseSessionWish(R"({"name":"a b"})")), HasSubstr("\"name\""));
  EXPECT_THAT(Verdict(ParseSessionWish(R"({"name":""})")), HasSubstr("\"name\""));
  EXPECT_THAT(Verdict(ParseSessionWish(R"({"name":".."})")), HasSubstr("part of a path"));
  EXPECT_EQ(Verdict(ParseSessionWish(R"({"env":{"A":"1","A":"2"}})")),
            "the key \"A\" is given twice");
  EXPECT_THAT(Verdict(ParseSessionWish(R"({"name":"s-0123456789abcdef01234567"})")),
              HasSubstr("must not look like the id"));
  EXPECT_THAT(Verdict(ParseSessionWish(R"({"idle_timeout":"9000h"})")), HasSubstr("idle_timeout"));
  EXPECT_THAT(Verdict(ParseSessionWish(R"({"wall_budget":[1]})")), HasSubstr("wall_budget"));
  EXPECT_THAT(Verdict(ParseSessionWish("[]")), HasSubstr("object"));
  // Keys that apply to each run would otherwise be accepted and ignored.
  for (const std::string key : {"cpu_time", "output_bytes", "file_operations", "fallback"}) {
    EXPECT_EQ(Verdict(ParseSessionWish("{\"" + key + "\":1}")),
              "\"" + key + "\" belongs to a run, not to a session");
  }
}

TEST(SessionRun, LimitsThatACellIsBuiltToAreTheSessions) {
  request::Request shape;
  shape.lang = request::Lang::kJavaScript;
  shape.limits.memory_bytes = 99 * request::kMiB;
  shape.backend = request::BackendKind::kGvisor;
  const auto run = ParseSessionRun(R"({"code":"1","timeout":2})", shape);
  ASSERT_TRUE(run) << run.error().message();
  EXPECT_EQ(run->lang, request::Lang::kJavaScript);
  EXPECT_EQ(run->limits.memory_bytes, 99 * request::kMiB);
  EXPECT_EQ(run->backend, request::BackendKind::kGvisor);
  EXPECT_EQ(run->limits.wall, 2s);
  EXPECT_THAT(Verdict(ParseSessionRun(R"({"code":"1","memory":"1G"})", shape)),
              HasSubstr("\"memory\" is said when the session is made"));
  EXPECT_THAT(Verdict(ParseSessionRun(R"({"code":"1","workspace_inodes":99})", shape)),
              HasSubstr("\"workspace_inodes\" is said when the session is made"));
  EXPECT_THAT(Verdict(ParseSessionRun(R"({"command":["ls"]})", shape)), HasSubstr("command"));
}

}  // namespace
}  // namespace belljar::door::api
