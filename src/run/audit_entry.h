// The maker of audit entries about what came from somewhere.
#pragma once

#include "record/entry.h"
#include "run/options.h"

namespace belljar::run {

// Caller, ids and marks as the origin has them.
record::Entry EntryFrom(record::Event event, const Origin& origin, json::object detail = {});

}  // namespace belljar::run
