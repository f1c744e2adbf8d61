// The account: a short summary after a run of how it was confined and what it used.
#pragma once

#include <optional>

#include "request/limits.h"
#include "run/run_result.h"

namespace belljar::door::cli {

// Without `limits` (in a session) they are left out.
void PrintAccount(const run::RunResult& result, const std::optional<request::Limits>& limits);

}  // namespace belljar::door::cli
