#include "request/request_json.h"

#include <gtest/gtest.h>

namespace belljar::request {
namespace {

void ExpectSame(const Request& request) {
  const auto again = ParseRequest(json::serialize(ToJson(request)));
  ASSERT_TRUE(again) << again.error().message();
  EXPECT_EQ(*again, request);
}

TEST(RequestJson, OfAPlainProgramReadsBackAsItWas) {
  Request request;
  request.code = "print('é\\n')\n";
  ExpectSame(request);
}

TEST(RequestJson, CarriesEveryMember) {
  Request request;
  request.id = "12";
  request.numeric_id = true;
  request.correlation_id = "c";
  request.lang = Lang::kJavaScript;
  request.code = "1";
  request.image = "other";
  request.session = "s-1";
  request.reason = "because";
  request.stdin_bytes = "text\n";
  request.args = {"a", ""};
  request.env = {{"A", "1"}, {"B", ""}};
  request.files = {{"in/a.bin", std::string("\0\xff", 2)}, {"b", ""}};
  request.fetch = {"out"};
  request.deterministic = ~std::uint64_t{0};
  ExpectSame(request);
}

TEST(RequestJson, OfACommandHasNoCode) {
  Request request;
  request.command = {"sort", "-n"};
  request.lang = Lang::kBash;
  ExpectSame(request);
}

TEST(RequestJson, KeepsLimitsToTheLastUnit) {
  Request request;
  request.limits.wall = std::chrono::milliseconds(1);
  request.limits.cpu_time = std::chrono::milliseconds(86'399'999);
  request.limits.memory_bytes = (16 << 20) + 1;
  request.limits.cpu_millis = 1337;
  request.limits.processes = 1;
  request.limits.output_bytes = 1 << 30;
  request.limits.file_size_bytes = 7;
  request.limits.file_operations = 999'999'999;
  ExpectSame(request);
}

TEST(RequestJson, SendsBytesThatAreNoTextAsBase64) {
  Request request;
  request.stdin_bytes = std::string("\xff\0x", 3);
  EXPECT_TRUE(ToJson(request).contains("stdin_base64"));
  ExpectSame(request);
}

TEST(RequestJson, DoesNotLetJsonBlowUpControlCharacters) {
  Request request;
  request.stdin_bytes = std::string(3000, '\0');
  EXPECT_LT(json::serialize(ToJson(request)).size(), 5000U);
  ExpectSame(request);
}

TEST(RequestOver, OwnKeysGoBeforeThoseOfTheDefaults) {
  const json::object defaults = {{"timeout", 2}, {"stdin", "theirs"}};
  const auto request = ParseRequestOver(defaults, R"({"code":"1","timeout":3})");
  ASSERT_TRUE(request) << request.error().message();
  EXPECT_EQ(request->limits.wall, std::chrono::seconds(3));
  EXPECT_EQ(request->stdin_bytes, "theirs");
}

TEST(RequestOver, AnOwnInputUnderAnotherKeyPutsThatOfTheDefaultsAside) {
  for (const char* const own : {R"({"code":"1","input":[1]})", R"({"code":"1","stdin":"[1]"})",
                                R"({"code":"1","stdin_base64":"WzFd"})"}) {
    for (const char* const key : {"stdin", "stdin_base64"}) {
      const auto request = ParseRequestOver({{key, "AAAA"}}, own);
      ASSERT_TRUE(request) << own << ": " << request.error().message();
      EXPECT_EQ(request->stdin_bytes.substr(0, 3), "[1]");
    }
  }
}

TEST(RequestOver, MistakesAreThoseOfARequest) {
  EXPECT_FALSE(ParseRequestOver({{"timeout", 2}}, R"({"timeout":1})"));
  EXPECT_FALSE(ParseRequestOver({}, R"({"code":"1","code":"2"})"));
  EXPECT_FALSE(ParseRequestOver({}, "[]"));
}

}  // namespace
}  // namespace belljar::request
