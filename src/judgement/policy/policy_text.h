// Writes all terms of a policy as one file that extends nothing.
#pragma once

#include <string>

#include "policy/policy.h"

namespace belljar::policy {

// The policy as TOML, without examples, which have no effect on a run.
std::string PolicyText(const Policy& policy);

}  // namespace belljar::policy
