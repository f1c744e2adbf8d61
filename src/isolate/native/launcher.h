// The launcher: the zygote of programs that are exec'd, and the native guest it turns into.
#pragma once

#include <cstdint>

namespace belljar::isolate {

[[noreturn]] void BeLauncher(int socket);

// Points argv at `count` NUL-terminated strings; their number, or -1 if they do not fit.
int SplitArgs(char* bytes, std::uint32_t count, char** argv, int max);

}  // namespace belljar::isolate
