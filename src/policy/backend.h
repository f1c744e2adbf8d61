// Which walls hold a cell: the names that requests, policies and flags take.
#pragma once

#include <string_view>

#include "base/result.h"

namespace belljar::policy {

enum class BackendKind {
  kNative,  // the host's kernel, by namespaces, seccomp and Landlock
  kGvisor,  // a kernel of its own in between, by an OCI runtime on this machine
  kDocker,  // the same, by the Docker daemon
};

std::string_view BackendName(BackendKind backend);
Result<BackendKind> ParseBackend(std::string_view name);

}  // namespace belljar::policy
