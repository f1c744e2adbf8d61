#include <CLI/CLI.hpp>

#include "door/cli/command.h"
#include "door/cli/jsonl.h"
#include "door/cli/session_request.h"
#include "door/cli/source.h"

namespace belljar::door::cli {
namespace {

using request::Lang;

struct RunArguments {
  RunFlags flags;
  Source source;
  std::vector<std::string> args;
  bool jsonl = false;
  std::size_t jobs = 0;
  std::size_t pool = 8;
};

Result<request::Request> BuildRequest(RunArguments& run) {
  if (run.source.code && !run.source.file.empty()) {
    // With -c, the argument parsed as FILE is the program's first argument.
    run.args.insert(run.args.begin(), std::exchange(run.source.file, {}));
  }
  if (!run.source.code && run.source.file.empty()) {
    return Error(Kind::kInvalid, "run: name a FILE, - for standard input, or -c CODE");
  }
  request::Request request;
  run.source.lang = run.flags.lang;
  request.code = BJ_TRY(ReadCode(run.source));
  // An existing session has a language already.
  const bool unnamed = !run.flags.session.empty() && run.source.lang.empty();
  auto named = NamedLang(run.source, request.code);
  if (!named && !unnamed) return std::move(named).error();
  const auto lang = named ? *named : std::nullopt;
  request.lang = lang.value_or(Lang::kPython);
  if (lang) run.flags.lang = request::LangName(*lang);
  request.args = run.args;
  BJ_TRY(ApplyFlags(run.flags, request));
  return request;
}

// CLI11 validator: returns the error, or an empty string.
std::string ComplaintAboutHandle(const std::string& handle) {
  const auto checked = CheckHandle(handle);
  return checked ? std::string() : checked.error().message();
}

int Run(RunArguments& run) {
  if (run.jsonl && (run.source.code || !run.source.file.empty())) {
    return Fail(ProgramBesideLines());
  }
  if (run.jsonl) return RunLines(run.flags, {run.jobs, run.pool});
  auto request = BuildRequest(run);
  if (!request) return Fail(request.error());
  const auto status = RunOnce(run.flags, *std::move(request));
  return status ? *status : Fail(status.error());
}

}  // namespace

void AddRunCommand(CLI::App& app, int& status) {
  const auto run = std::make_shared<RunArguments>();
  CLI::App* const command = app.add_subcommand("run", "run a program, sealed");
  command->add_option("FILE", run->source.file, "the program, or - for standard input");
  command->add_option("ARGS", run->args, "arguments for the program");
  command->add_option("-c", run->source.code, "the program itself");
  command->add_option("--lang", run->flags.lang, "python, javascript or bash");
  command
      ->add_option("--session", run->flags.session,
                   "run in that session of the daemon, made if it is not there")
      ->check(ComplaintAboutHandle);
  CLI::Option* const jsonl = command->add_flag(
      "--jsonl", run->jsonl,
      "one request per line in, one result per line out; flags hold for lines that do not say");
  command->add_option("--jobs", run->jobs, "--jsonl: runs at once (the number of CPUs)")
      ->check(CLI::Range(1, 1024))
      ->needs(jsonl);
  command->add_option("--pool", run->pool, "--jsonl: cells kept ready (8)")
      ->check(CLI::Range(1, 100'000))
      ->needs(jsonl);
  command->positionals_at_end();
  AddRunFlags(*command, run->flags);
  command->callback([run, &status] { status = Run(*run); });
}

}  // namespace belljar::door::cli
