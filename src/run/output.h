// The output of a program whose caller said what it must look like.
#pragma once

#include "base/json.h"
#include "result/run_result.h"

namespace belljar::result {

// Holds what a program that ended well has printed against the schema: all of it is one JSON text,
// and fits. `printed` is what it printed, before anything was taken out; what leaves, as
// result.output, is read from the stdout that leaves. Anything else is the outcome "exception"
// with an error of the type OutputMismatch, which names the place.
void JudgeOutput(const json::value& schema, const Captured& printed, RunResult& result);

}  // namespace belljar::result
