// Name resolution, outside of the cell. The functions block, so they are called on a thread pool.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "policy/address.h"

namespace belljar::broker {

// Returns the host's addresses; empty if there are none.
using Resolve = std::function<std::vector<policy::Address>(const std::string& host)>;

std::vector<policy::Address> SystemResolve(const std::string& host);

}  // namespace belljar::broker
