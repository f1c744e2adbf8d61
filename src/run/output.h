// The output of a program whose caller said what it must look like.
#pragma once

#include "foundation/base/json.h"
#include "run/run_result.h"

namespace belljar::run {

// Holds what a program that ended well has printed against the schema: all of it is one JSON text,
// and fits. `printed` is what it printed, before anything was taken out; what leaves, as
// result.output, is read from the stdout that leaves. Anything else is the outcome "exception"
// with an error of the type OutputMismatch, which names the place.
void JudgeOutput(const json::value& schema, const Captured& printed, RunResult& result);

}  // namespace belljar::run
