// Redacts the texts and member names of a JSON value.
#pragma once

#include "base/json.h"
#include "redact/redactor.h"

namespace belljar::broker {

// With a null `redactor` the value is left unchanged.
void RedactJson(const redact::Redactor* redactor, json::value& value);

}  // namespace belljar::broker
