// The server's API description in OpenAPI 3.1: docs/openapi.json, embedded.
//
// The file is written by hand. Tests compare it with the routes, with the keys that the parsers
// accept, and with the members of a result. Request schemas list every key, because unknown keys
// are rejected; answer schemas are open, because later versions may add members.
#pragma once

#include <string_view>

namespace belljar::door::api {

std::string_view OpenApi();

}  // namespace belljar::door::api
