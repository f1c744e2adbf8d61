#include <CLI/CLI.hpp>

#include "door/cli/command.h"
#include "resource/mcp/tool_reaper.h"

namespace belljar::door::cli {

// Belljar starts itself with this subcommand. It is for internal use and hidden from the help. All
// further words belong to the program, even if they look like flags.
void AddToolServerCommand(CLI::App& app, int& status) {
  CLI::App* const keeper = app.add_subcommand("tool-server", "keep the program of an MCP server");
  keeper->group("")->prefix_command();
  keeper->callback([keeper, &status] { status = resource::mcp::KeepProgram(keeper->remaining()); });
}

}  // namespace belljar::door::cli
