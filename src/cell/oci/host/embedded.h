// The programs of containers, put into the binary when it is built.
#pragma once

#include <string_view>

namespace belljar::cell::oci {

std::string_view ShimProgram();
std::string_view KeeperProgram();

}  // namespace belljar::cell::oci
