#include "cell/oci/host/embedded.h"

#include "foundation/base/embed.h"

// CMake defines the paths.
BJ_EMBED(bj_shim, BJ_SHIM_PATH);
BJ_EMBED(bj_keeper, BJ_KEEPER_PATH);

namespace belljar::cell::oci {

std::string_view ShimProgram() { return Between(bj_shim_begin, bj_shim_end); }
std::string_view KeeperProgram() { return Between(bj_keeper_begin, bj_keeper_end); }

}  // namespace belljar::cell::oci
