// Files that are part of the program: put into the binary when it is built.
#pragma once

#include <string_view>

namespace belljar::isolate {

std::string_view AgentProgram();
std::string_view GuestPython();
std::string_view GuestJavaScript();
std::string_view PythonModule();
std::string_view DeterministicLibrary();

}  // namespace belljar::isolate
