#include <CLI/CLI.hpp>

#include "cmd/command.h"
#include "mcp/keeper.h"

namespace belljar::cmd {

// Belljar starts itself so; it is of no use to anybody else, and not in the list. What follows is
// the program's, whatever it looks like.
void AddToolServerCommand(CLI::App& app, int& status) {
  CLI::App* const keeper = app.add_subcommand("tool-server", "keep the program of an MCP server");
  keeper->group("")->prefix_command();
  keeper->callback([keeper, &status] { status = mcp::KeepProgram(keeper->remaining()); });
}

}  // namespace belljar::cmd
