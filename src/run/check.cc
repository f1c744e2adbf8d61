#include "run/check.h"

#include <fmt/format.h>

#include <algorithm>

#include "cell/native/host/embedded.h"
#include "foundation/base/fingerprint.h"
#include "judgement/analysis/rule.h"
#include "run/artefacts.h"
#include "run/assessment.h"
#include "run/syntax_question.h"

namespace belljar::run {
namespace {

using judgement::analysis::Finding;

bool IsSyntax(const Finding& finding) {
  return finding.rule->rule_class == judgement::analysis::Class::kSyntax;
}

std::string_view SyntaxRule(request::Lang lang) {
  switch (lang) {
    case request::Lang::kPython:
      return "py-syntax";
    case request::Lang::kJavaScript:
    case request::Lang::kTypeScript:
      return "js-syntax";
    case request::Lang::kBash:
      break;
  }
  return "sh-syntax";
}

std::string_view InterpreterName(request::Lang lang) {
  switch (lang) {
    case request::Lang::kPython:
      return "Python";
    case request::Lang::kJavaScript:
    case request::Lang::kTypeScript:
      return "Node";
    case request::Lang::kBash:
      break;
  }
  return "bash";
}

// The syntax errors that Belljar's parser finds in the program itself; the request's files are not
// checked.
std::vector<Finding> ErrorsOfProgram(Assessment& assessment, const request::Request& request) {
  request::Request alone;
  alone.lang = request.lang;
  alone.code = request.code;
  alone.image = request.image;
  std::vector<Finding> errors = assessment.Analyse(alone)->findings;
  std::erase_if(errors, [](const Finding& finding) { return !IsSyntax(finding); });
  return errors;
}

void Apply(const SyntaxVerdict& verdict, const request::Request& request,
           const std::vector<Finding>& errors, judgement::analysis::Analysis& analysis) {
  const auto is_error = [&](const Finding& finding) {
    return IsSyntax(finding) && std::ranges::find(errors, finding) != errors.end();
  };
  if (verdict.accepted) {
    for (Finding& finding : analysis.findings) {
      if (!is_error(finding)) continue;
      finding.message =
          fmt::format("{} accepts this text, but not all of it could be read here: {}",
                      InterpreterName(request.lang), finding.message);
    }
    return;
  }
  std::erase_if(analysis.findings, is_error);
  const Finding own{&judgement::analysis::RuleNamed(SyntaxRule(request.lang)), verdict.place, "",
                    verdict.message};
  analysis.findings.insert(analysis.findings.begin(), own);
}

// A fingerprint of Belljar's own parts that affect compilation.
std::string CompilerHere() {
  Fingerprint print;
  print.Add(cell::native::SyntaxProgram());
  for (const std::string_view file : cell::native::GuestFiles()) print.Add(file);
  return print.Text();
}

}  // namespace

std::string Engine::CompilerOf(const request::Request& request) {
  if (request.lang != request::Lang::kPython || !request.command.empty()) return "";
  const std::string build = machinery_.builds.Of(request.image);
  if (build.empty()) return "";
  static const std::string here = CompilerHere();
  return fmt::format("{} {} {}", request.image, build, here);
}

Result<Checked> Engine::Check(const request::Request& asked_for, AskInterpreter ask) {
  request::Request request = asked_for;
  if (auto missing = BJ_TRY(artefacts().Resolve(request))) {
    return Error(Kind::kNotFound, *std::move(missing));
  }
  const auto terms = BJ_TRY(assessment().PolicyFor(request));
  const auto read = assessment().Analyse(request);
  Checked checked;
  const auto decide = [&](const judgement::analysis::Analysis& analysis) {
    checked.decision =
        judgement::policy::Decide(analysis, *terms, judgement::policy::WishesOf(request));
    return checked;
  };
  // No image has an interpreter that reads TypeScript.
  const bool typed = request.lang == request::Lang::kTypeScript;
  if (ask == AskInterpreter::kNever || !request.command.empty() || !request.session.empty() ||
      typed) {
    return decide(*read);
  }
  const auto errors = ErrorsOfProgram(assessment(), request);
  if (errors.empty() && ask == AskInterpreter::kAboutErrors) return decide(*read);
  const std::string by = ask == AskInterpreter::kAndKeepCode ? CompilerOf(request) : "";
  Run question(SyntaxQuestion(request, by.empty() ? Keep::kNothing : Keep::kCode), {});
  question.kind = RunKind::kInternal;
  const auto answer = Go(question);
  if (answer && !by.empty()) checked.compiled = resource::skill::Compiled{by, CompiledIn(*answer)};
  const auto verdict =
      answer ? ReadVerdict(request, *answer) : Result<SyntaxVerdict>(answer.error());
  if (!verdict) {
    checked.notes.push_back(
        fmt::format("the syntax is judged by its tree alone: {}", verdict.error().message()));
    return decide(*read);
  }
  if (!verdict->accepted) checked.refused = verdict->message;
  judgement::analysis::Analysis asked = *read;
  Apply(*verdict, request, errors, asked);
  return decide(asked);
}

json::object CheckJson(const request::Request& request, const Checked& checked) {
  json::object answer = {{"id", request::IdJson(request.id, request.numeric_id)},
                         {"findings", FindingsJson(checked.decision)},
                         {"decision", DecisionJson(checked.decision)}};
  if (checked.notes.empty()) return answer;
  json::array notes;
  for (const std::string& note : checked.notes) notes.emplace_back(note);
  answer["notes"] = std::move(notes);
  return answer;
}

}  // namespace belljar::run
