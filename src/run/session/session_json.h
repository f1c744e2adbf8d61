// Sessions and their checkpoints as JSON, for callers, events and the audit log.
#pragma once

#include "foundation/base/json.h"
#include "run/session/sessions.h"

namespace belljar::run {

json::object ToJson(const SessionInfo& info);
json::object ToJson(const CheckpointInfo& info);

}  // namespace belljar::run
