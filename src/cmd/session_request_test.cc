#include "cmd/session_request.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace belljar::cmd {
namespace {

TEST(SessionRequest, LeavesOutWhatTheSessionWasMadeWith) {
  policy::Request request;
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
}  // namespace belljar::cmd
