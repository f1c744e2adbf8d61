// What is said after a run, the same wherever it was run.
#pragma once

#include <optional>

#include "door/cli/command.h"
#include "foundation/base/json.h"
#include "request/limits.h"
#include "run/run_result.h"

namespace belljar::door::cli {

// One line on standard output.
void PrintObject(const json::object& object);

// The sentence that the outcome needs, the account if it was asked for; the exit status. `limits`
// are those of a fresh cell.
int ShowEnding(const RunFlags& flags, const run::RunResult& result,
               const std::optional<request::Limits>& limits);

// What a run in a session displayed, as a prompt would show it: text, or the names of its types.
std::string TextOf(const run::RunResult& result);

}  // namespace belljar::door::cli
