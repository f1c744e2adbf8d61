// What is said after a run, the same wherever it was run.
#pragma once

#include <optional>

#include "base/json.h"
#include "cmd/command.h"
#include "policy/limits.h"
#include "result/run_result.h"

namespace belljar::cmd {

// One line on standard output.
void PrintObject(const json::object& object);

// The sentence that the outcome needs, the account if it was asked for; the exit status. `limits`
// are those of a fresh cell.
int ShowEnding(const RunFlags& flags, const result::RunResult& result,
               const std::optional<policy::Limits>& limits);

// What a run in a session displayed, as a prompt would show it: text, or the names of its types.
std::string TextOf(const result::RunResult& result);

}  // namespace belljar::cmd
