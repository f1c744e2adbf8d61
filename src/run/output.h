// Checks a program's output against the caller's schema.
#pragma once

#include "foundation/base/json.h"
#include "run/run_result.h"

namespace belljar::run {

// Checks the stdout of a successful program: all of it must be one JSON text that matches the
// schema. `printed` is the output before redaction; result.output is parsed from the redacted
// stdout. On a mismatch the outcome becomes "exception", with an error of type OutputMismatch that
// names the place.
void JudgeOutput(const json::value& schema, const Captured& printed, RunResult& result);

}  // namespace belljar::run
