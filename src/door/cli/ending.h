// Messages after a run, the same for local and remote runs.
#pragma once

#include <optional>

#include "door/cli/command.h"
#include "foundation/base/json.h"
#include "request/limits.h"
#include "run/run_result.h"

namespace belljar::door::cli {

// Prints the object as one line on standard output.
void PrintObject(const json::object& object);

// Prints a sentence about the outcome, and the account if it was requested; returns the exit
// status. `limits` are those of a fresh cell.
int ShowEnding(const RunFlags& flags, const run::RunResult& result,
               const std::optional<request::Limits>& limits);

// The displayed data of a run in a session, as a prompt would show it: text, or the names of its
// types.
std::string TextOf(const run::RunResult& result);

}  // namespace belljar::door::cli
