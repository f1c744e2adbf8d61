#include <CLI/CLI.hpp>

#include "cmd/command.h"
#include "database/worker.h"

namespace belljar::cmd {

// Belljar starts itself so; it is of no use to anybody else, and not in the list.
void AddDatabaseWorkerCommand(CLI::App& app, int& status) {
  CLI::App* const worker = app.add_subcommand("database-worker", "run one statement");
  worker->group("");
  worker->callback([&status] { status = database::ServeJob(); });
}

}  // namespace belljar::cmd
