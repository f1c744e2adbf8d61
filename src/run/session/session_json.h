// Sessions and their checkpoints as JSON: what callers, events and the audit log are shown of them.
#pragma once

#include "base/json.h"
#include "engine/sessions.h"

namespace belljar::engine {

json::object ToJson(const SessionInfo& info);
json::object ToJson(const CheckpointInfo& info);

}  // namespace belljar::engine
