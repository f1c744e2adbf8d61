// The keeper: a process between Belljar and an MCP server program, which makes sure that everything
// the program starts ends with it.
//
// A process can leave its group (setsid), and a parent-death signal reaches only direct children.
// So the keeper is a subreaper: descendants of the program whose parent dies become children of the
// keeper. When the program or Belljar ends, the keeper kills its children until none are left. This
// works for root and for ordinary users, and the program notices only a different parent. A PID
// namespace is the rejected alternative: it would change what the program sees of the machine.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace belljar::resource::mcp {

// The descriptor, in the keeper, on which a failed start is reported (as an errno).
constexpr int kReportFd = 3;
// Prefix of the program's environment variables while they are in the keeper's environment, so that
// none of them affects the keeper. It is stripped for the program.
constexpr std::string_view kKeptVariable = "_";

// The main function of the keeper. `words` are the program's path and its argv. SIGTERM, which is
// also the keeper's parent-death signal, ends everything.
int KeepProgram(const std::vector<std::string>& words);

}  // namespace belljar::resource::mcp
