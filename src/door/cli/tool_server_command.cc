#include <CLI/CLI.hpp>

#include "door/cli/command.h"
#include "resource/mcp/tool_reaper.h"

namespace belljar::door::cli {

// Belljar starts itself so; it is of no use to anybody else, and not in the list. What follows is
// the program's, whatever it looks like.
void AddToolServerCommand(CLI::App& app, int& status) {
  CLI::App* const keeper = app.add_subcommand("tool-server", "keep the program of an MCP server");
  keeper->group("")->prefix_command();
  keeper->callback([keeper, &status] { status = resource::mcp::KeepProgram(keeper->remaining()); });
}

}  // namespace belljar::door::cli
