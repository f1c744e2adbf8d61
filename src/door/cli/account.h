// The account: after a run, in a few lines, what held it and what it used.
#pragma once

#include <optional>

#include "policy/limits.h"
#include "result/run_result.h"

namespace belljar::cmd {

// Without `limits`, those of a session, nothing is said of them.
void PrintAccount(const result::RunResult& result, const std::optional<policy::Limits>& limits);

}  // namespace belljar::cmd
