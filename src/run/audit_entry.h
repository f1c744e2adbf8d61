// The maker of audit entries about what came from somewhere.
#pragma once

#include "audit/entry.h"
#include "engine/options.h"

namespace belljar::engine {

// Caller, ids and marks as the origin has them.
audit::Entry EntryFrom(audit::Event event, const Origin& origin, json::object detail = {});

}  // namespace belljar::engine
