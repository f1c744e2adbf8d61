// The runtime commands that a container's keeper executes, one after the other.
//
// The runtime runs as a child of the keeper, which is process 1 of their pid namespace and waits
// for it. If the runtime hangs, the keeper still exits when its life line closes, and the kernel
// then kills both.
#pragma once

#include "cell/oci/host/orders.h"

namespace belljar::cell::oci {

// Skips `count` NUL-terminated strings that lie one after the other.
const char* Skip(const char* strings, std::uint32_t count);

// Descriptors of a keeper: its own, and those for the runtime or the container.
struct Fds {
  int life_line;
  int stream;  // for stdin and stdout
  int errors;
};

bool StartContainer(const ContainerOrder& order, const Fds& ways);

// Executes commands from the life line until it is closed.
[[noreturn]] void ServeCommands(const ContainerOrder& order, int life_line);

}  // namespace belljar::cell::oci
