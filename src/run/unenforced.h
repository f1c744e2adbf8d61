// Which limits this machine cannot hold for a request. One is enough to refuse it, unless the
// caller has named that limit.
#pragma once

#include <optional>
#include <set>
#include <string>

#include "cell/limits/cgroup.h"
#include "request/request.h"

namespace belljar::run {

// How a limit is held here, for doctor and the result's layers.
struct LimitLayer {
  std::string limit;  // "memory"
  std::string by;     // "cgroup v1", "rlimit and sampling", "kernel (tmpfs)"
};
std::vector<LimitLayer> LimitLayers(const cell::limits::CgroupSupport& support);

// The sentence that refuses the request, if it has to be refused.
std::optional<std::string> RefuseUnenforced(const request::Request& request,
                                            request::BackendKind backend,
                                            const cell::limits::CgroupSupport& support,
                                            const std::set<std::string>& allowed);

// The names that --allow-unenforced takes.
const std::set<std::string>& KnownUnenforced();

}  // namespace belljar::run
