#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <mutex>
#include <thread>

#include "door/cli/cancellation.h"
#include "door/cli/command.h"
#include "door/cli/ending.h"
#include "door/cli/jsonl.h"
#include "door/cli/lines.h"
#include "door/cli/source.h"
#include "door/cli/terminal.h"
#include "judgement/analysis/rule_page.h"
#include "request/request_json.h"
#include "run/assessment.h"
#include "run/check.h"

namespace belljar::door::cli {
namespace {

struct CheckArguments {
  RunFlags flags;
  Source source;
  bool jsonl = false;
  bool rules = false;
  bool quick = false;
  std::size_t jobs = 0;
};

Result<request::Request> RequestToCheck(CheckArguments& check) {
  if (check.source.code && !check.source.file.empty()) {
    return Error(Kind::kInvalid, "check: give a FILE or -c CODE, not both");
  }
  if (!check.source.code && check.source.file.empty()) {
    return Error(Kind::kInvalid, "check: name a FILE, - for standard input, or -c CODE");
  }
  check.source.lang = check.flags.lang;
  request::Request request;
  request.code = BJ_TRY(ReadCode(check.source));
  request.lang = BJ_TRY(NamedLang(check.source, request.code)).value_or(request::Lang::kPython);
  BJ_TRY(ApplyFlags(check.flags, request));
  return request;
}

// Judges requests, and asks an interpreter if its image exists already: a check does not build
// images.
class Checker {
 public:
  Checker(const CheckArguments& check, run::Terms terms)
      : check_(check), assessment_(std::move(terms)) {
    const auto state = StateDir(check.flags.daemon);
    if (!state) return;
    images_ = *state + "/images";
    assessment_.UseImages(images_);
  }

  Result<run::Checked> Check(const request::Request& request, run::AskInterpreter ask) {
    run::Checked checked;
    checked.decision = BJ_TRY(assessment_.Decide(request));
    if (check_.quick || (ask == run::AskInterpreter::kAboutErrors && !HasErrors(checked))) {
      return checked;
    }
    run::Engine* const engine = EngineFor(request.image);
    if (engine != nullptr) return engine->Check(request, ask);
    if (!why_not_.empty()) checked.notes.push_back(why_not_);
    return checked;
  }

 private:
  static bool HasErrors(const run::Checked& checked) {
    return std::ranges::any_of(
        checked.decision.findings, [](const judgement::policy::Judged& judged) {
          return judged.finding.rule->rule_class == judgement::analysis::Class::kSyntax;
        });
  }

  // Null where there is no engine; `why_not_` then says why, if one was expected.
  run::Engine* EngineFor(const std::string& image) {
    if (!cell::image::ValidateImageName(image)) return nullptr;
    if (::access((images_ + "/" + image + "/image.json").c_str(), R_OK) != 0) return nullptr;
    const std::lock_guard lock(mutex_);
    if (tried_) return engine_.get();
    tried_ = true;
    auto engine = OpenEngine(check_.flags, check_.jsonl ? kPool : 0);
    if (engine) {
      engine_ = *std::move(engine);
    } else {
      why_not_ = "the syntax is judged by its tree alone: " + engine.error().message();
    }
    return engine_.get();
  }

  static constexpr std::size_t kPool = 2;

  const CheckArguments& check_;
  run::Assessment assessment_;
  std::string images_;
  std::mutex mutex_;
  bool tried_ = false;
  std::string why_not_;
  std::unique_ptr<run::Engine> engine_;
};

// The exit status that `run` would give for the decision.
int StatusOf(const judgement::policy::Decision& decision) {
  if (decision.action == judgement::policy::Action::kBlock) return 126;
  return decision.action == judgement::policy::Action::kReview ? 127 : 0;
}

void Print(const std::string& file, const run::Checked& checked) {
  const judgement::policy::Decision& decision = checked.decision;
  const std::string name = file.empty() ? "-c" : MakeVisible(file);
  for (const judgement::policy::Judged& judged : decision.findings) {
    const judgement::analysis::Finding& finding = judged.finding;
    fmt::print("{}:{}:{}: {}: {} [{}] {}\n", name, finding.place.line, finding.place.column,
               judgement::analysis::SeverityName(finding.rule->severity),
               MakeVisible(finding.message), finding.rule->id,
               judgement::policy::ActionName(judged.action));
    if (judged.action >= judgement::policy::Action::kWarn)
      fmt::print("    {}\n", finding.rule->advice);
  }
  for (const std::string& wish : decision.wishes) fmt::print("{}: {}\n", name, MakeVisible(wish));
  for (const std::string& note : checked.notes) fmt::print("{}: {}\n", name, MakeVisible(note));
  fmt::print("{}: {}, {}\n", name, judgement::policy::ActionName(decision.action),
             judgement::analysis::LevelName(decision.level));
}

int CheckLines(Checker& checker, const json::object& defaults, std::size_t jobs) {
  const auto cancel = Cancellation::OnSignals();
  if (!cancel) return Fail(cancel.error());
  const std::size_t at_once = jobs > 0 ? jobs : std::max(1U, std::thread::hardware_concurrency());
  const auto answer = [&](const std::string& line, Answers& answers) {
    const auto request = request::ParseRequestOver(defaults, line);
    if (!request) return answers.WriteError(request::SalvageIdJson(line), request.error());
    // Each question to an interpreter takes a cell, so with many lines only texts with syntax
    // errors in our parser are asked about.
    const auto checked = checker.Check(*request, run::AskInterpreter::kAboutErrors);
    if (!checked) {
      const json::value id = request::IdJson(request->id, request->numeric_id);
      return answers.WriteError(id, checked.error());
    }
    answers.Write(run::CheckJson(*request, *checked));
  };
  const auto answered = AnswerLines(at_once, cancel->fd(), answer);
  if (!answered) return Fail(answered.error());
  return cancel->Asked() ? kCancelledStatus : 0;
}

Result<int> Check(CheckArguments& check) {
  if (check.rules) {
    fmt::print("{}", judgement::analysis::RulePage());
    return 0;
  }
  auto terms = BJ_TRY(TermsOf(check.flags));
  Checker checker(check, std::move(terms));
  if (check.jsonl) {
    if (check.source.code || !check.source.file.empty()) return ProgramBesideLines();
    RunFlags of_lines = check.flags;
    of_lines.level.clear();  // the checker's terms include it
    const auto defaults = BJ_TRY(LineDefaults(of_lines));
    return CheckLines(checker, defaults, check.jobs);
  }
  const request::Request request = BJ_TRY(RequestToCheck(check));
  const auto checked = BJ_TRY(checker.Check(request, run::AskInterpreter::kAlways));
  if (check.flags.json) {
    PrintObject(run::CheckJson(request, checked));
  } else {
    Print(check.source.file, checked);
  }
  return StatusOf(checked.decision);
}

}  // namespace

void AddCheckCommand(CLI::App& app, int& status) {
  const auto check = std::make_shared<CheckArguments>();
  CLI::App* const command = app.add_subcommand("check", "judge a program, and run nothing");
  command->add_option("FILE", check->source.file, "the program, or - for standard input");
  command->add_option("-c", check->source.code, "the program itself");
  command->add_option("--lang", check->flags.lang, "python, javascript, typescript or bash");
  command->add_option("--level", check->flags.level, "strict, standard or relaxed (standard)")
      ->envname("BELLJAR_LEVEL");
  command->add_option("--policy", check->flags.policy_file, "a policy file of your own");
  command->add_option("--image", check->flags.image, "the image it is to run in (default)");
  command->add_option("--state", check->flags.daemon.state, "the directory that holds the images");
  command->add_flag("--quick", check->quick, "do not ask the interpreter about the syntax");
  command->add_flag("--rules", check->rules, "print the rules as a page, and check nothing");
  command->add_flag("--json", check->flags.json, "print one object");
  command->add_flag("--jsonl", check->jsonl, "one request per line in, one judgement per line out");
  command->add_option("--jobs", check->jobs, "--jsonl: lines at once (the number of CPUs)")
      ->check(CLI::Range(1, 1024));
  command->callback([check, &status] {
    const auto checked = Check(*check);
    status = checked ? *checked : Fail(checked.error());
  });
}

}  // namespace belljar::door::cli
