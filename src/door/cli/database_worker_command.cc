#include <CLI/CLI.hpp>

#include "door/cli/command.h"
#include "resource/database/worker.h"

namespace belljar::door::cli {

// Belljar starts itself so; it is of no use to anybody else, and not in the list.
void AddDatabaseWorkerCommand(CLI::App& app, int& status) {
  CLI::App* const worker = app.add_subcommand("database-worker", "run one statement");
  worker->group("");
  worker->callback([&status] { status = resource::database::ServeJob(); });
}

}  // namespace belljar::door::cli
