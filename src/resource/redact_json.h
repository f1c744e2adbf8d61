// Redacts the texts and member names of a JSON value.
#pragma once

#include "foundation/base/json.h"
#include "judgement/redaction/redactor.h"

namespace belljar::resource {

// With a null `redactor` the value is left unchanged.
void RedactJson(const judgement::redaction::Redactor* redactor, json::value& value);

}  // namespace belljar::resource
