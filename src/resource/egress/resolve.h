// Name resolution, outside of the cell. The functions block, so they are called on a thread pool.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "request/address.h"

namespace belljar::resource::egress {

// Returns the host's addresses; empty if there are none.
using Resolve = std::function<std::vector<request::Address>(const std::string& host)>;

std::vector<request::Address> SystemResolve(const std::string& host);

}  // namespace belljar::resource::egress
