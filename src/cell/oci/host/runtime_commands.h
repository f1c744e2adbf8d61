// What a container's keeper has its runtime do, one command after the other.
//
// The runtime works beside the keeper, which is process 1 of their pid namespace, and is waited
// for. Whatever it hangs in, the keeper ends with its life line, and the kernel then ends both.
#pragma once

#include "cell/oci/host/orders.h"

namespace belljar::cell::oci {

// Behind so many of the strings that lie one after the other.
const char* Skip(const char* strings, std::uint32_t count);

// Descriptors of a keeper: its own, and what the runtime, or the container, is to have.
struct Fds {
  int life_line;
  int stream;  // stdin and stdout
  int errors;
};

bool StartContainer(const ContainerOrder& order, const Fds& ways);

// Commands on the life line, until it is closed.
[[noreturn]] void ServeCommands(const ContainerOrder& order, int life_line);

}  // namespace belljar::cell::oci
