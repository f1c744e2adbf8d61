// Files that are part of the program: put into the binary when it is built.
#pragma once

#include <array>
#include <string_view>

#include "cell/native/launcher/stage.h"

namespace belljar::cell::native {

std::string_view AgentProgram();
std::string_view BinderProgram();
// What is in src/guest/bootstrap for cells, and what is made of tables beside it, in the order of
// kGuestFileNames (stage.h).
std::array<std::string_view, kGuestFileCount> GuestFiles();
// A Python program that compiles the Python guest.
std::string_view CompileProgram();
// One that tells whether a text is a program, and keeps what it has compiled.
std::string_view SyntaxProgram();
std::string_view PythonModule();
// A program that calls tools, for shells.
std::string_view ToolsClient();
std::string_view DeterministicLibrary();
// What tells glibc the name of a cell's user.
std::string_view OwnNameLibrary();

}  // namespace belljar::cell::native
