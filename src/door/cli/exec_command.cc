#include <CLI/CLI.hpp>

#include "door/cli/command.h"

namespace belljar::door::cli {

void AddExecCommand(CLI::App& app, int& status) {
  struct ExecArguments {
    RunFlags flags;
    std::vector<std::string> command;
  };
  const auto exec = std::make_shared<ExecArguments>();
  CLI::App* const command = app.add_subcommand("exec", "run a command of the image, sealed");
  command->add_option("COMMAND", exec->command, "the command and its arguments, after --")
      ->required();
  command->positionals_at_end();
  AddRunFlags(*command, exec->flags);
  command->callback([exec, &status] {
    request::Request request;
    request.command = exec->command;
    request.lang = request::Lang::kBash;
    if (auto applied = ApplyFlags(exec->flags, request); !applied) {
      status = Fail(applied.error());
      return;
    }
    const auto ran = RunOnce(exec->flags, std::move(request));
    status = ran ? *ran : Fail(ran.error());
  });
}

}  // namespace belljar::door::cli
