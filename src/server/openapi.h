// What this server can be asked, in the words of OpenAPI 3.1.
#pragma once

#include "base/json.h"

namespace belljar::server {

json::object OpenApi();

}  // namespace belljar::server
