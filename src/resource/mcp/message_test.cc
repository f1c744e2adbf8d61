#include "resource/mcp/message.h"

#include <gtest/gtest.h>

namespace belljar::resource::mcp {
namespace {

TEST(McpMessage, TellsAnswersRequestsAndNotificationsApart) {
  const auto answer = ParseMessage(R"({"jsonrpc":"2.0","id":7,"result":{"a":1}})");
  ASSERT_TRUE(answer);
  EXPECT_EQ(std::get<Answer>(*answer).id, 7U);
  EXPECT_EQ(std::get<Answer>(*answer).reply.result.at("a").as_int64(), 1);
  const auto failed =
      ParseMessage(R"({"jsonrpc":"2.0","id":8,"error":{"code":-32601,"message":"no"}})");
  ASSERT_TRUE(failed);
  EXPECT_EQ(std::get<Answer>(*failed).reply.error->code, kMethodNotFound);
  const auto asked = ParseMessage(R"({"jsonrpc":"2.0","id":"x","method":"ping"})");
  ASSERT_TRUE(asked);
  EXPECT_EQ(std::get<Asked>(*asked).method, "ping");
  const auto told = ParseMessage(R"({"jsonrpc":"2.0","method":"notifications/progress"})");
  ASSERT_TRUE(told);
  EXPECT_EQ(std::get<Told>(*told).method, "notifications/progress");
}

TEST(McpMessage, RefusesWhatIsNone) {
  for (const char* const text :
       {"", "1", "[]", "{}", R"({"jsonrpc":"1.0","id":1,"result":{}})",
        R"({"jsonrpc":"2.0","id":1})", R"({"jsonrpc":"2.0","id":1,"result":3})",
        R"({"jsonrpc":"2.0","id":1,"result":{},"error":{"code":1}})",
        R"({"jsonrpc":"2.0","id":1,"error":"x"})", R"({"jsonrpc":"2.0","id":[],"method":"ping"})",
        R"({"jsonrpc":"2.0","method":7})"}) {
    EXPECT_FALSE(ParseMessage(text)) << text;
  }
  EXPECT_FALSE(ParseMessage(std::string(100'000, '[')));
}

TEST(McpMessage, AnIdThatIsNotOursIsNobodys) {
  for (const char* const id : {"-1", "null", "18446744073709551615"}) {
    const auto answer =
        ParseMessage(std::string(R"({"jsonrpc":"2.0","id":)") + id + R"(,"result":{}})");
    ASSERT_TRUE(answer) << id;
    EXPECT_NE(std::get<Answer>(*answer).id, 1U) << id;
  }
}

TEST(McpMessage, TheRequestOfAMalformedAnswerCanBeTold) {
  for (const char* const text :
       {R"({"jsonrpc":"2.0","id":7,"result":{"a":NaN}})",
        R"({"id":"7","jsonrpc":"2.0","result":{}})", R"({"jsonrpc":"2.0","id":7.0,"result":{}})",
        R"({"jsonrpc":"2.0","result":{"id":3},"id":7,"error":{}})",
        "{\"jsonrpc\":\"2.0\",\"id\": 7 ,\"result\":{\"a\":\"\xff\"}}",
        R"({"jsonrpc":"2.0","id":7,)"}) {
    EXPECT_FALSE(ParseMessage(text)) << text;
    EXPECT_EQ(IdOfMalformed(text), 7U) << text;
  }
  for (const char* const text :
       {"hello", "", "{}", R"({"id":7.5})", R"({"id":"7x"})", R"({"id":null})", R"({"id":-7})",
        R"([{"id":7}])", R"({"result":{"id":7}})"}) {
    EXPECT_EQ(IdOfMalformed(text), 0U) << text;
  }
}

TEST(McpMessage, SaysWhichNumberOfAResultIsNotHeld) {
  const auto answer = ParseMessage(
      R"({"jsonrpc":"2.0","id":7,"result":{"structuredContent":{"n":12345678901234567890123}}})");
  ASSERT_TRUE(answer);
  EXPECT_EQ(std::get<Answer>(*answer).reply.unheld, "result.structuredContent.n");
  EXPECT_FALSE(std::get<Answer>(*ParseMessage(R"({"jsonrpc":"2.0","id":7,"result":{"n":1e9}})"))
                   .reply.unheld);
}

TEST(McpMessage, CutsTextsOfErrors) {
  const std::string text = R"({"jsonrpc":"2.0","id":1,"error":{"code":1,"message":")" +
                           std::string(100'000, 'x') + "\"}}";
  const auto answer = ParseMessage(text);
  ASSERT_TRUE(answer);
  EXPECT_EQ(std::get<Answer>(*answer).reply.error->message.size(), kMaxErrorBytes);
}

TEST(McpMessage, OffersServersNothingButPing) {
  EXPECT_EQ(AnswerTo({json::value(3), "ping"}), R"({"jsonrpc":"2.0","id":3,"result":{}})");
  EXPECT_NE(AnswerTo({json::value("a"), "sampling/createMessage"}).find("-32601"),
            std::string::npos);
}

TEST(LineReader, CutsLinesHoweverTheyCome) {
  const std::string stream = "one\n\ntwo\nthree";
  for (std::size_t step = 1; step <= stream.size(); ++step) {
    LineReader reader(8);
    std::vector<std::string> lines;
    for (std::size_t at = 0; at < stream.size(); at += step) {
      ASSERT_TRUE(
          reader.Feed(std::string_view(stream).substr(at, step), [&](std::string_view line) {
            lines.emplace_back(line);
            return Result<>();
          }));
    }
    EXPECT_EQ(lines, (std::vector<std::string>{"one", "two"})) << step;
  }
}

TEST(LineReader, StopsALineThatDoesNotEnd) {
  LineReader reader(8);
  const auto ignore = [](std::string_view) { return Result<>(); };
  EXPECT_TRUE(reader.Feed("12345678", ignore));
  EXPECT_FALSE(reader.Feed("9", ignore));
  LineReader other(8);
  EXPECT_FALSE(other.Feed("123456789\n", ignore));
}

}  // namespace
}  // namespace belljar::resource::mcp
