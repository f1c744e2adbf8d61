// The programs of containers, embedded in the binary at build time.
#pragma once

#include <string_view>

namespace belljar::cell::oci {

std::string_view ShimProgram();
std::string_view KeeperProgram();

}  // namespace belljar::cell::oci
