// What this server can be asked, in the words of OpenAPI 3.1: docs/openapi.json, embedded.
//
// The file is written by hand. Its tests hold it to the routes, to the keys that the parsers take
// and to the members of a result. What is taken names every key, because another is refused; what
// is answered is open, because later versions may say more.
#pragma once

#include <string_view>

namespace belljar::door::api {

std::string_view OpenApi();

}  // namespace belljar::door::api
