// Writes all terms of a policy as one file that extends nothing.
#pragma once

#include <string>

#include "judgement/policy/policy.h"

namespace belljar::judgement::policy {

// The policy as TOML, without examples, which have no effect on a run.
std::string PolicyText(const Policy& policy);

}  // namespace belljar::judgement::policy
