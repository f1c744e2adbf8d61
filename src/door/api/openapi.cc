#include "door/api/openapi.h"

#include "foundation/base/embed.h"

// The path comes from CMake.
BJ_EMBED(bj_openapi, BJ_OPENAPI_PATH);

namespace belljar::door::api {

std::string_view OpenApi() { return Between(bj_openapi_begin, bj_openapi_end); }

}  // namespace belljar::door::api
