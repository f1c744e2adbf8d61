#include <CLI/CLI.hpp>

#include "door/cli/command.h"
#include "resource/database/worker.h"

namespace belljar::door::cli {

// Belljar starts itself with this subcommand. It is for internal use and hidden from the help.
void AddDatabaseWorkerCommand(CLI::App& app, int& status) {
  CLI::App* const worker = app.add_subcommand("database-worker", "run one statement");
  worker->group("");
  worker->callback([&status] { status = resource::database::ServeJob(); });
}

}  // namespace belljar::door::cli
