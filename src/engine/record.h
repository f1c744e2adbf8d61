// The last stage of a request: what is answered has been recorded, and is durable.
#pragma once

#include "audit/log.h"
#include "engine/engine.h"

namespace belljar::engine {

// Puts code, inputs and outputs into the store of bodies, appends the run's record with their
// digests, and notes the position in the result. The result of a run that cannot be recorded is
// not given out.
Result<> RecordRun(audit::Log& log, const Origin& origin, const policy::Request& request,
                   result::RunResult& result);

}  // namespace belljar::engine
