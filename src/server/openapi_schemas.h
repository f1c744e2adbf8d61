// The objects of the HTTP API, as JSON Schema: what is taken and what is answered.
//
// What is taken names every key, because another is refused; the limits are those of the parser's
// own table. What is answered names every member that is always there as required, and is open:
// later versions may say more.
#pragma once

#include "base/json.h"

namespace belljar::server {

// By name, for "components/schemas".
json::object ApiSchemas();

}  // namespace belljar::server
