#include "analysis/python.h"

#include "analysis/analyse.h"
#include "analysis/python_check.h"
#include "analysis/report.h"

namespace belljar::analysis {

Analysis AnalysePython(std::string_view source) { return python::AnalyseText(source, 0); }

namespace python {

Analysis AnalyseText(std::string_view source, int level) {
  Report report(level);
  const auto syntax = Syntax::Parse(PythonGrammar(), source);
  if (!syntax) {
    report.Add("py-unclear", {}, syntax.error().message());
    return report.Take();
  }
  for (const SyntaxError& error : syntax->errors()) {
    report.Add("py-syntax", error.place, error.missing ? "something is missing here" : error.text);
  }
  Scopes scopes(*syntax);
  Evaluator evaluator(*syntax, scopes);
  Checks checks(*syntax, scopes, evaluator, report);
  for (NodeId node = 0; node < syntax->size(); ++node) {
    if (syntax->at(node).named && syntax->at(node).kind >= kFirstOwnKind) checks.Check(node);
  }
  if (evaluator.exhausted()) report.Add("py-unclear", {}, "it is too intricate to follow");
  return report.Take();
}

}  // namespace python
}  // namespace belljar::analysis
