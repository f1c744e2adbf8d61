// Limits of a request that this machine cannot enforce. One is enough to refuse the request, unless
// the caller has allowed that limit to be missing.
#pragma once

#include <optional>
#include <set>
#include <string>

#include "cell/limits/cgroup.h"
#include "request/request.h"

namespace belljar::run {

// How a limit is enforced on this machine, for doctor and for the result's layers.
struct LimitLayer {
  std::string limit;  // "memory"
  std::string by;     // "cgroup v1", "rlimit and sampling", "kernel (tmpfs)"
};
std::vector<LimitLayer> LimitLayers(const cell::limits::CgroupSupport& support);

// Why the request is refused, as a sentence; nullopt if it is not.
std::optional<std::string> RefuseUnenforced(const request::Request& request,
                                            request::BackendKind backend,
                                            const cell::limits::CgroupSupport& support,
                                            const std::set<std::string>& allowed);

// The names that --allow-unenforced takes.
const std::set<std::string>& KnownUnenforced();

}  // namespace belljar::run
