#include "run/syntax_question.h"

#include <gtest/gtest.h>

#include "resource/skill/skill.h"

namespace belljar::run {
namespace {

request::Request Of(request::Lang lang) {
  request::Request request;
  request.lang = lang;
  request.code = "a text of its own";
  request.image = "other";
  return request;
}

RunResult Answer(Outcome outcome, std::string out, std::string err = "") {
  RunResult answer;
  answer.outcome = outcome;
  answer.stdout_captured.bytes = std::move(out);
  answer.stderr_captured.bytes = std::move(err);
  return answer;
}

using request::Lang;

TEST(SyntaxQuestion, CarriesTheTextAsInputAndNeverAsCode) {
  for (const Lang lang : {Lang::kPython, Lang::kJavaScript, Lang::kBash}) {
    const request::Request question = SyntaxQuestion(Of(lang));
    EXPECT_EQ(question.stdin_bytes, "a text of its own");
    EXPECT_EQ(question.code.find("a text of its own"), std::string::npos);
    EXPECT_EQ(question.image, "other");
    EXPECT_TRUE(request::Validate(question));
  }
}

TEST(SyntaxQuestion, WantsWhatIsCompiledOfPythonOnly) {
  EXPECT_TRUE(SyntaxQuestion(Of(Lang::kPython)).fetch.empty());
  EXPECT_EQ(SyntaxQuestion(Of(Lang::kPython), Keep::kCode).fetch.size(), 1U);
  EXPECT_TRUE(SyntaxQuestion(Of(Lang::kJavaScript), Keep::kCode).fetch.empty());
  EXPECT_TRUE(SyntaxQuestion(Of(Lang::kBash), Keep::kCode).fetch.empty());
}

TEST(SyntaxQuestion, TakesWhatWasCompiledWithinItsBounds) {
  const std::string file = SyntaxQuestion(Of(Lang::kPython), Keep::kCode).fetch.front();
  RunResult answer = Answer(Outcome::kOk, "{}");
  EXPECT_EQ(CompiledIn(answer), "");
  answer.files.fetched[file] = std::string(resource::skill::kMaxCompiledBytes, 'x');
  EXPECT_EQ(CompiledIn(answer).size(), resource::skill::kMaxCompiledBytes);
  answer.outcome = Outcome::kTimeout;
  EXPECT_EQ(CompiledIn(answer), "");
  answer.outcome = Outcome::kOk;
  answer.files.fetched[file] += 'x';
  EXPECT_EQ(CompiledIn(answer), "");
}

TEST(SyntaxVerdict, IsTheOneLineThatWasPrinted) {
  const auto accepted =
      ReadVerdict(Of(Lang::kPython), Answer(Outcome::kOk, "{\"accepted\":true}\n"));
  ASSERT_TRUE(accepted);
  EXPECT_TRUE(accepted->accepted);
  const auto refused = ReadVerdict(
      Of(Lang::kPython), Answer(Outcome::kOk,
                                "{\"accepted\":false,\"line\":3,\"column\":5,\"message\":\"invalid "
                                "syntax\",\"text\":\"a b\"}\n"));
  ASSERT_TRUE(refused);
  EXPECT_FALSE(refused->accepted);
  EXPECT_EQ(refused->place, (judgement::analysis::Place{3, 5}));
  EXPECT_EQ(refused->message, "Python says: invalid syntax, in: a b");
}

TEST(SyntaxVerdict, IsReadFromWhatBashSays) {
  const auto refused =
      ReadVerdict(Of(Lang::kBash),
                  Answer(Outcome::kExit, "",
                         "bash: line 12: syntax error near unexpected token `)'\nbash: line 12: "
                         "`)'\n"));
  ASSERT_TRUE(refused);
  EXPECT_EQ(refused->place, (judgement::analysis::Place{12, 1}));
  EXPECT_EQ(refused->message, "bash says: syntax error near unexpected token `)'");
  EXPECT_TRUE(ReadVerdict(Of(Lang::kBash), Answer(Outcome::kOk, ""))->accepted);
}

TEST(SyntaxVerdict, IsNoneWhenTheInterpreterDidNotAnswer) {
  for (const Lang lang : {Lang::kPython, Lang::kJavaScript, Lang::kBash}) {
    EXPECT_FALSE(ReadVerdict(Of(lang), Answer(Outcome::kTimeout, "{\"accepted\":true}")));
    EXPECT_FALSE(ReadVerdict(Of(lang), Answer(Outcome::kMemory, "")));
  }
  for (const char* const odd : {"", "{}", "{\"accepted\":1}", "[]", "true"}) {
    EXPECT_FALSE(ReadVerdict(Of(Lang::kPython), Answer(Outcome::kOk, odd))) << odd;
  }
  EXPECT_FALSE(ReadVerdict(Of(Lang::kBash), Answer(Outcome::kExit, "", "bash: line x: y")));
}

}  // namespace
}  // namespace belljar::run
