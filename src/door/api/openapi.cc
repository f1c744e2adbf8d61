#include "server/openapi.h"

#include "base/embed.h"

// The path comes from CMake.
BJ_EMBED(bj_openapi, BJ_OPENAPI_PATH);

namespace belljar::server {

std::string_view OpenApi() { return Between(bj_openapi_begin, bj_openapi_end); }

}  // namespace belljar::server
