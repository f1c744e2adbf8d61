#include "engine/check.h"

#include <fmt/format.h>

#include <algorithm>

#include "analysis/rule.h"
#include "base/fingerprint.h"
#include "engine/artefacts.h"
#include "engine/assessment.h"
#include "engine/syntax_question.h"
#include "isolate/native/embedded.h"

namespace belljar::engine {
namespace {

using analysis::Finding;

bool IsSyntax(const Finding& finding) {
  return finding.rule->rule_class == analysis::Class::kSyntax;
}

std::string_view SyntaxRule(policy::Lang lang) {
  switch (lang) {
    case policy::Lang::kPython:
      return "py-syntax";
    case policy::Lang::kJavaScript:
    case policy::Lang::kTypeScript:
      return "js-syntax";
    case policy::Lang::kBash:
      break;
  }
  return "sh-syntax";
}

std::string_view InterpreterName(policy::Lang lang) {
  switch (lang) {
    case policy::Lang::kPython:
      return "Python";
    case policy::Lang::kJavaScript:
    case policy::Lang::kTypeScript:
      return "Node";
    case policy::Lang::kBash:
      break;
  }
  return "bash";
}

// What the tree says of the program itself; files of the request are not asked about.
std::vector<Finding> ErrorsOfProgram(Assessment& assessment, const policy::Request& request) {
  policy::Request alone;
  alone.lang = request.lang;
  alone.code = request.code;
  alone.image = request.image;
  std::vector<Finding> errors = assessment.Analyse(alone)->findings;
  std::erase_if(errors, [](const Finding& finding) { return !IsSyntax(finding); });
  return errors;
}

void Apply(const SyntaxVerdict& verdict, const policy::Request& request,
           const std::vector<Finding>& errors, analysis::Analysis& analysis) {
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
  const Finding own{&analysis::RuleNamed(SyntaxRule(request.lang)), verdict.place, "",
                    verdict.message};
  analysis.findings.insert(analysis.findings.begin(), own);
}

// Of what decides how a text is compiled, all that is ours.
std::string CompilerHere() {
  Fingerprint print;
  print.Add(isolate::SyntaxProgram());
  for (const std::string_view file : isolate::GuestFiles()) print.Add(file);
  return print.Text();
}

}  // namespace

std::string Engine::CompilerOf(const policy::Request& request) {
  if (request.lang != policy::Lang::kPython || !request.command.empty()) return "";
  const std::string build = machinery_.builds.Of(request.image);
  if (build.empty()) return "";
  static const std::string here = CompilerHere();
  return fmt::format("{} {} {}", request.image, build, here);
}

Result<Checked> Engine::Check(const policy::Request& asked_for, AskInterpreter ask) {
  policy::Request request = asked_for;
  if (auto missing = BJ_TRY(artefacts().Resolve(request))) {
    return Error(Kind::kNotFound, *std::move(missing));
  }
  const auto terms = BJ_TRY(assessment().PolicyFor(request));
  const auto read = assessment().Analyse(request);
  Checked checked;
  const auto decide = [&](const analysis::Analysis& analysis) {
    checked.decision = policy::Decide(analysis, *terms, policy::WishesOf(request));
    return checked;
  };
  // No interpreter of an image reads TypeScript.
  const bool typed = request.lang == policy::Lang::kTypeScript;
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
  if (answer && !by.empty()) checked.compiled = skills::Compiled{by, CompiledIn(*answer)};
  const auto verdict =
      answer ? ReadVerdict(request, *answer) : Result<SyntaxVerdict>(answer.error());
  if (!verdict) {
    checked.notes.push_back(
        fmt::format("the syntax is judged by its tree alone: {}", verdict.error().message()));
    return decide(*read);
  }
  if (!verdict->accepted) checked.refused = verdict->message;
  analysis::Analysis asked = *read;
  Apply(*verdict, request, errors, asked);
  return decide(asked);
}

json::object CheckJson(const policy::Request& request, const Checked& checked) {
  json::object answer = {{"id", policy::IdJson(request.id, request.numeric_id)},
                         {"findings", FindingsJson(checked.decision)},
                         {"decision", DecisionJson(checked.decision)}};
  if (checked.notes.empty()) return answer;
  json::array notes;
  for (const std::string& note : checked.notes) notes.emplace_back(note);
  answer["notes"] = std::move(notes);
  return answer;
}

}  // namespace belljar::engine
