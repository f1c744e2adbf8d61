// Creates audit entries about events with an origin.
#pragma once

#include "record/entry.h"
#include "run/options.h"

namespace belljar::run {

// An entry with the caller, ids and trace context of `origin`.
record::Entry EntryFrom(record::Event event, const Origin& origin, json::object detail = {});

}  // namespace belljar::run
