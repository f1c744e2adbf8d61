// The fallback of a request: a simpler one, to be run if it does not end well.
//
// {"fallback": {"lang", "code" or "command", "args", "timeout", "memory"}}: what it does not say is
// as in the request it belongs to. Whether it is run is the policy's word ([recovery]).
#pragma once

#include <string_view>

#include "base/json.h"
#include "base/result.h"
#include "policy/request.h"

namespace belljar::policy {

// The whole request that a fallback stands for.
Result<Request> FallbackOf(const Request& request);

// That it is one.
Result<> CheckFallback(const Request& request);

Result<> ReadFallback(std::string_view key, const json::value& value, Request& request);

}  // namespace belljar::policy
