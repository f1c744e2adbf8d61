// A value of JSON without what the redactor finds in its texts and names.
#pragma once

#include "base/json.h"
#include "redact/redactor.h"

namespace belljar::broker {

// `redactor` null: as it is.
void RedactJson(const redact::Redactor* redactor, json::value& value);

}  // namespace belljar::broker
