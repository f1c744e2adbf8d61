// All terms of a policy, as a file that says the same without extending anything.
#pragma once

#include <string>

#include "policy/policy.h"

namespace belljar::policy {

// TOML. Examples are left out: they say nothing that holds for a run.
std::string PolicyText(const Policy& policy);

}  // namespace belljar::policy
