#include "judgement/analysis/syntax/syntax.h"

#include <gtest/gtest.h>

#include "judgement/analysis/analyse.h"
#include "judgement/analysis/python/tree.h"
#include "judgement/analysis/rule.h"

namespace belljar::judgement::analysis {
namespace {

using python::Py;

TEST(Syntax, GivesNodesInTheOrderOfTheText) {
  const std::string source = "x = f(1)\nif x:\n    y = 'two'\n";
  const auto syntax = Syntax::Parse(python::PythonGrammar(), source);
  ASSERT_TRUE(syntax);
  std::uint32_t last = 0;
  for (NodeId node = 0; node < syntax->size(); ++node) {
    EXPECT_GE(syntax->at(node).start, last);
    last = syntax->at(node).start;
  }
  EXPECT_TRUE(syntax->Is(syntax->root(), Py::kModule));
  EXPECT_TRUE(syntax->errors().empty());
}

TEST(Syntax, CountsPlacesFromOne) {
  const std::string source = "a\nbb = 1\n";
  const auto syntax = Syntax::Parse(python::PythonGrammar(), source);
  ASSERT_TRUE(syntax);
  EXPECT_EQ(syntax->PlaceAt(0), (Place{1, 1}));
  EXPECT_EQ(syntax->PlaceAt(2), (Place{2, 1}));
  EXPECT_EQ(syntax->PlaceAt(7), (Place{2, 6}));
}

TEST(Syntax, NamesWhatItCouldNotRead) {
  const auto syntax = Syntax::Parse(python::PythonGrammar(), "x = (1,\ndef f(:\n");
  ASSERT_TRUE(syntax);
  EXPECT_FALSE(syntax->errors().empty());
}

// Each of these would overflow the stack of a recursive tree walk.
TEST(Syntax, WithstandsDeepNesting) {
  constexpr std::size_t kDeep = 100'000;
  for (const std::string& text : {std::string(kDeep, '('), std::string(kDeep, '[') + "1",
                                  "x" + std::string(kDeep, '.'), std::string(kDeep, '-') + "1"}) {
    static_cast<void>(AnalysePython(text));
  }
  std::string sum = "x = 'a'";
  for (std::size_t i = 0; i < kDeep; ++i) sum += "+'a'";
  static_cast<void>(AnalysePython(sum));
  std::string calls = "f";
  for (std::size_t i = 0; i < kDeep; ++i) calls += "()";
  const Analysis analysis = AnalysePython(calls);
  ASSERT_FALSE(analysis.findings.empty());
  EXPECT_EQ(analysis.findings.front().rule->id, "py-unclear");
}

}  // namespace
}  // namespace belljar::judgement::analysis
