// BackendKind: the isolation backend of a cell, with the names used in requests, policies and
// flags.
#pragma once

#include <string_view>

#include "foundation/base/result.h"

namespace belljar::request {

enum class BackendKind {
  kNative,  // on the host's kernel: namespaces, seccomp and Landlock
  kGvisor,  // gVisor's user-space kernel, through an OCI runtime on this machine
  kDocker,  // gVisor too, through the Docker daemon
};

std::string_view BackendName(BackendKind backend);
Result<BackendKind> ParseBackend(std::string_view name);

}  // namespace belljar::request
