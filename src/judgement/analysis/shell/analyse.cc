// Entry points of the shell analyser.
#include "judgement/analysis/analyse.h"

#include <fmt/format.h>

#include <algorithm>

#include "judgement/analysis/rule.h"
#include "judgement/analysis/shell/injection.h"
#include "judgement/analysis/shell/judge.h"
#include "judgement/analysis/shell/pieces.h"
#include "judgement/analysis/shell/walk.h"

namespace belljar::judgement::analysis {
namespace shell {
namespace {

Analysis Finish(Context& context) {
  Analysis analysis;
  analysis.level = context.level;
  for (const Finding& finding : context.findings) {
    if (finding.rule->rule_class == Class::kShellAsk) analysis.level = Level::kAsksFirst;
  }
  const auto by_place = [](const auto& a, const auto& b) {
    return std::pair(a.place.line, a.place.column) < std::pair(b.place.line, b.place.column);
  };
  std::stable_sort(context.findings.begin(), context.findings.end(), by_place);
  std::stable_sort(context.imports.begin(), context.imports.end(), by_place);
  analysis.findings = std::move(context.findings);
  analysis.imports = std::move(context.imports);
  return analysis;
}

bool IsGapAt(const Syntax& syntax, const SyntaxError& error) {
  for (NodeId id = 0; id < syntax.size() && !error.missing; ++id) {
    if (syntax.at(id).kind != kErrorKind || syntax.PlaceOf(id) != error.place) continue;
    // A here-string after a redirection is not an error to report: ReadPieces handles it.
    const std::string_view rest = syntax.source().substr(syntax.at(id).start);
    return IsKnownGap(syntax, id) || (syntax.Text(id) == "<<" && rest.starts_with("<<<"));
  }
  return false;
}

Analysis AnalyseScript(std::string_view source) {
  Context context;
  const auto syntax = context.Parse(source);
  if (!syntax) {
    context.GiveUp({}, fmt::format("The script could not be read: {}.", syntax.error().message()));
    return Finish(context);
  }
  ReportSyntax(context, *syntax, std::nullopt);
  Walk(context, *syntax, std::nullopt).RunScript();
  if (IsBroken(*syntax)) ReadPieces(context, *syntax, std::nullopt);
  return Finish(context);
}

}  // namespace

void ReportSyntax(Context& context, const Syntax& syntax, std::optional<Place> place) {
  for (const SyntaxError& error : syntax.errors()) {
    if (IsGapAt(syntax, error)) continue;
    context.Find("sh-syntax", place.value_or(error.place), error.text,
                 error.missing ? "Something is missing here."
                               : fmt::format("\"{}\" does not parse.", error.text));
  }
}

}  // namespace shell

Analysis AnalyseShell(std::string_view source) { return shell::AnalyseScript(source); }

Analysis AnalyseCommand(std::span<const std::string> command) {
  using shell::Word;
  shell::Context context;
  shell::Call call;
  for (const std::string& argument : command) {
    // No shell expands the arguments, but "~" and "*" are treated as if one did: the caller
    // probably meant the expansion.
    call.words.push_back(shell::WordOfArgument(argument));
  }
  shell::CheckInjection(context, command);
  shell::Judge(context, std::move(call));
  return shell::Finish(context);
}

}  // namespace belljar::judgement::analysis
