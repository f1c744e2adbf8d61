// Files embedded in the binary at build time.
#pragma once

#include <array>
#include <string_view>

#include "cell/native/launcher/stage.h"

namespace belljar::cell::native {

std::string_view AgentProgram();
std::string_view BinderProgram();
// The guests' files for cells, including those generated from tables, in the order of
// kGuestFileNames (stage.h).
std::array<std::string_view, kGuestFileCount> GuestFiles();
// A Python program that compiles the Python guest.
std::string_view CompileProgram();
// A Python program that tells whether a text is a valid program, and keeps the compiled code.
std::string_view SyntaxProgram();
std::string_view PythonModule();
// A program that calls tools, for shells.
std::string_view ToolsClient();
std::string_view DeterministicLibrary();
// An NSS library that tells glibc the name of a cell's user.
std::string_view OwnNameLibrary();

}  // namespace belljar::cell::native
