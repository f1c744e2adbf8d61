// Names to addresses, outside of the cell. Blocks: called on threads of its own.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "policy/address.h"

namespace belljar::broker {

// Empty when there is none.
using Resolve = std::function<std::vector<policy::Address>(const std::string& host)>;

std::vector<policy::Address> SystemResolve(const std::string& host);

}  // namespace belljar::broker
