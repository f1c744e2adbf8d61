// The account: after a run, in a few lines, what held it and what it used.
#pragma once

#include "policy/limits.h"
#include "result/run_result.h"

namespace belljar::cmd {

void PrintAccount(const result::RunResult& result, const policy::Limits& limits);

}  // namespace belljar::cmd
