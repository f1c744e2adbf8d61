#include <fmt/format.h>

#include "judgement/analysis/analyse.h"
#include "judgement/analysis/javascript/judge.h"

namespace belljar::judgement::analysis {
namespace javascript {
namespace {

constexpr int kMaxNestedTexts = 16;

void AddErrors(const Syntax& syntax, Report& report) {
  for (const SyntaxError& error : syntax.errors()) {
    std::string message = error.missing ? "something is missing here"
                                        : fmt::format("this cannot be read: {}", error.text);
    report.Say("js-syntax", error.place, error.text, std::move(message));
  }
}

}  // namespace

Analysis AnalyseText(std::string_view source, Language language, Nesting nesting) {
  Report report(nesting.depth);
  const Result<Syntax> syntax = ReadScript(source, language);
  if (!syntax) {
    report.Say("js-unclear", {}, "", syntax.error().message());
    return report.Take();
  }
  AddErrors(*syntax, report);
  const Scopes scopes(*syntax);
  if (scopes.too_deep()) {
    report.Say("js-unclear", {}, "", "it is nested too deeply to be read");
    return report.Take();
  }
  Judge judge(*syntax, scopes, nesting, report);
  judge.Run();
  if (judge.gave_up()) {
    report.Say("js-unclear", {}, "", "what it does is too long a way round to follow");
  }
  return report.Take();
}

}  // namespace javascript

Analysis AnalyseJavaScript(std::string_view source, Language language) {
  int left = javascript::kMaxNestedTexts;
  return javascript::AnalyseText(source, language, {0, &left});
}

}  // namespace belljar::judgement::analysis
