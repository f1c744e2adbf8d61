#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <thread>

#include "analysis/rule_page.h"
#include "cmd/cancellation.h"
#include "cmd/command.h"
#include "cmd/ending.h"
#include "cmd/lines.h"
#include "cmd/source.h"
#include "cmd/terminal.h"
#include "engine/judgement.h"

namespace belljar::cmd {
namespace {

struct CheckArguments {
  RunFlags flags;
  Source source;
  bool jsonl = false;
  bool rules = false;
  std::size_t jobs = 0;
};

Result<policy::Request> RequestToCheck(CheckArguments& check) {
  if (check.source.code && !check.source.file.empty()) {
    return Error(Kind::kInvalid, "check: give a FILE or -c CODE, not both");
  }
  if (!check.source.code && check.source.file.empty()) {
    return Error(Kind::kInvalid, "check: name a FILE, - for standard input, or -c CODE");
  }
  check.source.lang = check.flags.lang;
  policy::Request request;
  request.code = BJ_TRY(ReadCode(check.source));
  request.lang = BJ_TRY(NamedLang(check.source, request.code)).value_or(policy::Lang::kPython);
  BJ_TRY(ApplyFlags(check.flags, request));
  return request;
}

json::object AnswerFor(const policy::Request& request, const policy::Decision& decision) {
  return {{"id", policy::IdJson(request.id, request.numeric_id)},
          {"findings", engine::FindingsJson(decision)},
          {"decision", engine::DecisionJson(decision)}};
}

// As of `run`: what would come of it.
int StatusOf(const policy::Decision& decision) {
  if (decision.action == policy::Action::kBlock) return 126;
  return decision.action == policy::Action::kReview ? 127 : 0;
}

void Print(const std::string& file, const policy::Decision& decision) {
  const std::string name = file.empty() ? "-c" : MakeVisible(file);
  for (const policy::Judged& judged : decision.findings) {
    const analysis::Finding& finding = judged.finding;
    fmt::print("{}:{}:{}: {}: {} [{}] {}\n", name, finding.place.line, finding.place.column,
               analysis::SeverityName(finding.rule->severity), MakeVisible(finding.message),
               finding.rule->id, policy::ActionName(judged.action));
    if (judged.action >= policy::Action::kWarn) fmt::print("    {}\n", finding.rule->advice);
  }
  for (const std::string& wish : decision.wishes) fmt::print("{}: {}\n", name, MakeVisible(wish));
  fmt::print("{}: {}, {}\n", name, policy::ActionName(decision.action),
             analysis::LevelName(decision.level));
}

int CheckLines(engine::Judgement& judgement, std::size_t jobs) {
  const auto cancel = Cancellation::OnSignals();
  if (!cancel) return Fail(cancel.error());
  const std::size_t at_once = jobs > 0 ? jobs : std::max(1U, std::thread::hardware_concurrency());
  AnswerLines(at_once, cancel->fd(), [&](const std::string& line, Answers& answers) {
    const auto request = policy::ParseRequest(line);
    if (!request) return answers.WriteError(policy::SalvageIdJson(line), request.error());
    const auto decision = judgement.Decide(*request);
    if (!decision) {
      const json::value id = policy::IdJson(request->id, request->numeric_id);
      return answers.WriteError(id, decision.error());
    }
    answers.Write(AnswerFor(*request, *decision));
  });
  return 0;
}

Result<int> Check(CheckArguments& check) {
  if (check.rules) {
    fmt::print("{}", analysis::RulePage());
    return 0;
  }
  auto terms = BJ_TRY(TermsOf(check.flags));
  engine::Judgement judgement(std::move(terms));
  // Where nothing has been run yet there are no images to look into.
  if (const auto state = StateDir(check.flags.daemon)) judgement.UseImages(*state + "/images");
  if (check.jsonl) return CheckLines(judgement, check.jobs);
  const policy::Request request = BJ_TRY(RequestToCheck(check));
  const policy::Decision decision = BJ_TRY(judgement.Decide(request));
  if (check.flags.json) {
    PrintObject(AnswerFor(request, decision));
  } else {
    Print(check.source.file, decision);
  }
  return StatusOf(decision);
}

}  // namespace

void AddCheckCommand(CLI::App& app, int& status) {
  const auto check = std::make_shared<CheckArguments>();
  CLI::App* const command = app.add_subcommand("check", "judge a program, and run nothing");
  command->add_option("FILE", check->source.file, "the program, or - for standard input");
  command->add_option("-c", check->source.code, "the program itself");
  command->add_option("--lang", check->flags.lang, "python, javascript or bash");
  command->add_option("--level", check->flags.level, "strict, standard or relaxed (standard)")
      ->envname("BELLJAR_LEVEL");
  command->add_option("--policy", check->flags.policy_file, "a policy file of your own");
  command->add_option("--image", check->flags.image, "the image it is to run in (default)");
  command->add_option("--state", check->flags.daemon.state, "the directory that holds the images");
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

}  // namespace belljar::cmd
