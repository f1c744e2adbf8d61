// The fallback of a request: a simpler request to run if the first does not end well.
//
// {"fallback": {"lang", "code" or "command", "args", "timeout", "memory"}}. Members that are
// missing are taken from the request itself. The policy decides whether a fallback is run
// ([recovery]).
#pragma once

#include <string_view>

#include "foundation/base/json.h"
#include "foundation/base/result.h"
#include "request/request.h"

namespace belljar::request {

// The complete request that the fallback describes.
Result<Request> FallbackOf(const Request& request);

// Checks that the fallback is a valid request.
Result<> CheckFallback(const Request& request);

Result<> ReadFallback(std::string_view key, const json::value& value, Request& request);

}  // namespace belljar::request
