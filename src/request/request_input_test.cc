#include "request/request_input.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "request/request_json.h"

namespace belljar::request {
namespace {

using ::testing::HasSubstr;

std::string InputRefusal(std::string_view text) {
  const auto request = ParseRequest(text);
  return request ? "" : request.error().message();
}

TEST(RequestInput, IsTheProgramsStandardInput) {
  const auto request = ParseRequest(R"({"code":"","input":{"a":[1,"é",null]}})");
  ASSERT_TRUE(request) << request.error().message();
  EXPECT_EQ(request->stdin_bytes, "{\"a\":[1,\"é\",null]}\n");
  const auto none = ParseRequest(R"({"code":"","input":null})");
  ASSERT_TRUE(none);
  EXPECT_EQ(none->stdin_bytes, "null\n");
}

TEST(RequestInput, GoesThroughJsonAndBack) {
  const auto request = ParseRequest(
      R"({"code":"","input":[1],"input_schema":{"type":"array"},"output_schema":true})");
  ASSERT_TRUE(request);
  const json::object object = ToJson(*request);
  EXPECT_FALSE(object.contains("stdin"));
  const auto again = ParseRequest(json::serialize(object));
  ASSERT_TRUE(again) << again.error().message();
  EXPECT_EQ(*again, *request);
}

TEST(RequestInput, HasNoWholeNumberThatWouldArriveAsAnother) {
  const std::string schema = R"("input_schema":{"maximum":100000000000000000000})";
  EXPECT_EQ(InputRefusal(R"({"code":"","input":18446744073709551615,)" + schema + "}"), "");
  EXPECT_EQ(InputRefusal(R"({"code":"","input":[{"n":-9223372036854775809}]})"),
            "\"input.n\" has a whole number beyond 64 bits, which would reach the program as "
            "another: send it as a text");
  EXPECT_THAT(InputRefusal(R"({"code":"","input":18446744073709551616})"), HasSubstr("\"input\""));
}

TEST(RequestInput, IsInsteadOfStdin) {
  EXPECT_EQ(InputRefusal(R"({"code":"","input":1,"stdin":""})"),
            "give either \"stdin\" or \"input\", not both");
  EXPECT_EQ(InputRefusal(R"({"code":"","input":1,"stdin_base64":""})"),
            "give either \"stdin_base64\" or \"input\", not both");
  Request request;
  SetInput(request, 1);
  EXPECT_TRUE(Validate(request));
  request.stdin_bytes = "2\n";
  EXPECT_FALSE(Validate(request));
}

TEST(RequestInput, FitsItsSchemaOrIsRefusedByPath) {
  const std::string schema =
      R"("input_schema":{"properties":{"items":{"items":{"properties":{"age":{"type":"integer"}}}}}})";
  EXPECT_EQ(InputRefusal(R"({"code":"","input":{"items":[{},{},{"age":"x"}]},)" + schema + "}"),
            "input.items[2].age: must be an integer, not a string");
  EXPECT_EQ(InputRefusal(R"({"code":"","input":{"items":[{"age":1}]},)" + schema + "}"), "");
  EXPECT_THAT(InputRefusal(R"({"code":"",)" + schema + "}"), HasSubstr("needs an \"input\""));
}

TEST(RequestWrites, ArePatternsOfPaths) {
  const auto request = ParseRequest(R"({"code":"","writes":["out/**","*.csv","/vault/data/x"]})");
  ASSERT_TRUE(request) << request.error().message();
  EXPECT_EQ(*ParseRequest(json::serialize(ToJson(*request))), *request);
  const auto none = ParseRequest(R"({"code":"","writes":[]})");
  ASSERT_TRUE(none && none->writes);
  EXPECT_TRUE(ToJson(*none).contains("writes"));
  EXPECT_THAT(InputRefusal(R"({"code":"","writes":"out"})"),
              HasSubstr("must be a list of patterns"));
  EXPECT_THAT(InputRefusal(R"({"code":"","writes":["/etc/*"]})"), HasSubstr("is absolute"));
  EXPECT_THAT(InputRefusal(R"({"code":"","writes":["../*"]})"), HasSubstr("has a \"..\" part"));
  EXPECT_THAT(InputRefusal(R"({"code":"","writes":["/vault/../*"]})"),
              HasSubstr("has a \"..\" part"));
  EXPECT_THAT(InputRefusal(R"({"code":"","writes":["[ab].txt"]})"), HasSubstr("only *, ? and **"));
  EXPECT_THAT(InputRefusal(R"({"code":"","writes":["out/"]})"), HasSubstr("has an empty part"));
  json::array many(kMaxWrites + 1, "a");
  const json::object request_text = {{"code", ""}, {"writes", many}};
  EXPECT_THAT(InputRefusal(json::serialize(request_text)), HasSubstr("at most 64"));
}

TEST(RequestInput, SchemasHaveToBeSchemas) {
  EXPECT_THAT(InputRefusal(R"({"code":"","input":1,"input_schema":{"tipe":"string"}})"),
              HasSubstr("\"input_schema\": at #: the keyword \"tipe\" is not known"));
  EXPECT_THAT(InputRefusal(R"({"code":"","output_schema":{"$ref":"http://a/b"}})"),
              HasSubstr("\"output_schema\": at #/$ref: \"$ref\" leads out of the schema"));
}

}  // namespace
}  // namespace belljar::request
