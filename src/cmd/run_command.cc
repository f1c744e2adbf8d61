#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>

#include "base/sys.h"
#include "base/text.h"
#include "cmd/command.h"
#include "cmd/jsonl.h"
#include "cmd/session_request.h"

namespace belljar::cmd {
namespace {

using policy::Lang;

struct RunArguments {
  RunFlags flags;
  std::string file;
  std::optional<std::string> code;
  std::vector<std::string> args;
  bool jsonl = false;
  std::size_t jobs = 0;
  std::size_t pool = 8;
};

std::optional<Lang> LangByEnding(std::string_view path) {
  const auto ends = [&](std::string_view ending) { return path.ends_with(ending); };
  if (ends(".py")) return Lang::kPython;
  if (ends(".js") || ends(".mjs") || ends(".cjs")) return Lang::kJavaScript;
  if (ends(".sh") || ends(".bash")) return Lang::kBash;
  return std::nullopt;
}

// "#!/usr/bin/env python3 -u", "#!/bin/sh": the first word that names a language.
std::optional<Lang> LangByFirstLine(std::string_view code) {
  if (!code.starts_with("#!")) return std::nullopt;
  const std::string_view line = code.substr(2, code.find('\n') - 2);
  for (const auto& [word, lang] : {std::pair{"python", Lang::kPython},
                                   {"node", Lang::kJavaScript},
                                   {"bash", Lang::kBash},
                                   {"/sh", Lang::kBash},
                                   {"dash", Lang::kBash}}) {
    if (line.find(word) != std::string_view::npos) return lang;
  }
  return std::nullopt;
}

// What says which language it is; nothing where Python is only what is usual.
Result<std::optional<Lang>> NamedLang(const RunArguments& run, const std::string& code) {
  if (!run.flags.lang.empty()) return std::optional(BJ_TRY(policy::ParseLang(run.flags.lang)));
  if (auto lang = LangByEnding(run.file)) return lang;
  if (auto lang = LangByFirstLine(code)) return lang;
  if (run.code || run.file == "-" || !run.flags.session.empty()) return std::optional<Lang>();
  return Error(Kind::kInvalid,
               fmt::format("{}: the language is not clear from the name or a #! line: name it "
                           "with --lang python, javascript or bash",
                           run.file));
}

Result<std::string> ReadCode(const RunArguments& run) {
  if (run.code) return *run.code;
  if (run.file != "-") {
    const Fd file = BJ_TRY(Open(run.file, O_RDONLY));
    return ReadAll(file, policy::kMaxCodeBytes, run.file);
  }
  const Fd input(::fcntl(0, F_DUPFD_CLOEXEC, 3));
  return ReadAll(input, policy::kMaxCodeBytes, "the code on standard input");
}

Result<policy::Request> BuildRequest(RunArguments& run) {
  if (run.code && !run.file.empty()) {
    // With -c, what looks like FILE is the program's first argument.
    run.args.insert(run.args.begin(), std::exchange(run.file, {}));
  }
  if (!run.code && run.file.empty()) {
    return Error(Kind::kInvalid, "run: name a FILE, - for standard input, or -c CODE");
  }
  policy::Request request;
  request.code = BJ_TRY(ReadCode(run));
  const auto lang = BJ_TRY(NamedLang(run, request.code));
  request.lang = lang.value_or(Lang::kPython);
  if (lang) run.flags.lang = policy::LangName(*lang);
  request.args = run.args;
  BJ_TRY(ApplyFlags(run.flags, request));
  return request;
}

// Empty when there is none, as CLI11 wants it.
std::string ComplaintAboutHandle(const std::string& handle) {
  const auto checked = CheckHandle(handle);
  return checked ? std::string() : checked.error().message();
}

int Run(RunArguments& run) {
  if (run.jsonl && (!run.flags.session.empty() || !run.flags.daemon.address.empty())) {
    return Fail(Error(Kind::kInvalid, "--jsonl runs here: it goes without --session and --daemon"));
  }
  if (run.jsonl) return RunLines(run.flags, {run.jobs, run.pool});
  auto request = BuildRequest(run);
  if (!request) return Fail(request.error());
  return RunOnce(run.flags, *request);
}

}  // namespace

void AddRunCommand(CLI::App& app, int& status) {
  const auto run = std::make_shared<RunArguments>();
  CLI::App* const command = app.add_subcommand("run", "run a program, sealed");
  command->add_option("FILE", run->file, "the program, or - for standard input");
  command->add_option("ARGS", run->args, "arguments for the program");
  command->add_option("-c", run->code, "the program itself");
  command->add_option("--lang", run->flags.lang, "python, javascript or bash");
  command
      ->add_option("--session", run->flags.session,
                   "run in that session of the daemon, made if it is not there")
      ->check(ComplaintAboutHandle);
  command->add_flag("--jsonl", run->jsonl, "one request per line in, one result per line out");
  command->add_option("--jobs", run->jobs, "--jsonl: runs at once (the number of CPUs)")
      ->check(CLI::Range(1, 1024));
  command->add_option("--pool", run->pool, "--jsonl: cells kept ready (8)")
      ->check(CLI::Range(1, 100'000));
  command->positionals_at_end();
  AddRunFlags(*command, run->flags);
  command->callback([run, &status] { status = Run(*run); });
}

}  // namespace belljar::cmd
