// The account: after a run, in a few lines, what held it and what it used.
#pragma once

#include <optional>

#include "request/limits.h"
#include "run/run_result.h"

namespace belljar::door::cli {

// Without `limits`, those of a session, nothing is said of them.
void PrintAccount(const run::RunResult& result, const std::optional<request::Limits>& limits);

}  // namespace belljar::door::cli
