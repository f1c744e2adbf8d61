#include "request/request_fallback.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "request/request_json.h"

namespace belljar::request {
namespace {

using ::testing::HasSubstr;

std::string RefusalOf(std::string_view text) {
  const auto request = ParseRequest(text);
  return request ? "" : request.error().message();
}

TEST(Fallback, IsAsTheRequestWhereItSaysNothing) {
  const auto request = ParseRequest(
      R"({"id":7,"code":"x","args":["a"],"timeout":2,"input":[1],"output_schema":true,"text":"plain",
          "vaults":[{"host":"/srv/a"}],"fallback":{"lang":"bash","code":"cat"}})");
  ASSERT_TRUE(request) << request.error().message();
  const auto fallback = FallbackOf(*request);
  ASSERT_TRUE(fallback) << fallback.error().message();
  EXPECT_EQ(fallback->lang, Lang::kBash);
  EXPECT_EQ(fallback->code, "cat");
  EXPECT_TRUE(fallback->args.empty());
  EXPECT_EQ(fallback->input, request->input);
  EXPECT_EQ(fallback->output_schema, request->output_schema);
  EXPECT_EQ(fallback->limits, request->limits);
  EXPECT_EQ(fallback->vaults, request->vaults);
  EXPECT_EQ(fallback->text, TextMode::kPlain);
  EXPECT_FALSE(fallback->fallback);
  EXPECT_EQ(fallback->id, "7");
}

TEST(Fallback, MayBeACommandWithLimitsOfItsOwn) {
  const auto request = ParseRequest(
      R"({"code":"x","timeout":2,"fallback":{"command":["true"],"timeout":1,"memory":"64M"}})");
  ASSERT_TRUE(request) << request.error().message();
  const auto fallback = FallbackOf(*request);
  ASSERT_TRUE(fallback);
  EXPECT_EQ(fallback->command, std::vector<std::string>{"true"});
  EXPECT_TRUE(fallback->code.empty());
  EXPECT_EQ(fallback->limits.wall, std::chrono::seconds(1));
  EXPECT_EQ(fallback->limits.memory_bytes, 64 * kMiB);
}

TEST(Fallback, IsCheckedWithTheRequest) {
  EXPECT_THAT(RefusalOf(R"({"code":"","fallback":1})"), HasSubstr("must be an object"));
  EXPECT_THAT(RefusalOf(R"({"code":"","fallback":{}})"),
              HasSubstr("needs \"code\" or \"command\""));
  EXPECT_THAT(RefusalOf(R"({"code":"","fallback":{"code":"","fallback":{"code":""}}})"),
              HasSubstr("not \"fallback\""));
  EXPECT_THAT(RefusalOf(R"({"code":"","fallback":{"code":"","level":"relaxed"}})"),
              HasSubstr("not \"level\""));
  EXPECT_THAT(RefusalOf(R"({"code":"","fallback":{"code":1}})"), HasSubstr("must be a string"));
}

}  // namespace
}  // namespace belljar::request
