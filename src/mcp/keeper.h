// The process between Belljar and the program of an MCP server: whatever the program starts ends
// with it.
//
// A process group can be left (setsid), and SIGKILL at the death of a parent reaches the next
// generation only. So the keeper is the subreaper of the program: whose parent dies becomes its
// child, and when the program ends, or Belljar does, it kills its children until it has none. It
// works alike for root and for everybody else, and the program sees nothing of it but another
// parent; a namespace of processes would have changed what it sees of the machine.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace belljar::mcp {

// In the keeper, where a failed start is told (as an errno).
constexpr int kReportFd = 3;
// Before each of the program's variables while they are the keeper's own: none of them is for it.
constexpr std::string_view kKeptVariable = "_";

// The whole of the process: `words` are the path of the program and its own words. SIGTERM, which
// it is also sent when the thread that started it ends, ends all.
int KeepProgram(const std::vector<std::string>& words);

}  // namespace belljar::mcp
