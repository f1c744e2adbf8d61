// TraceContext: what a caller puts on a request to find it again, "traceparent" (W3C) and
// "X-Correlation-Id". They go with everything that is told of the request: log lines, events,
// records, results.
#pragma once

#include <string>
#include <string_view>

#include "foundation/base/json.h"
#include "foundation/http/server/message.h"

namespace belljar::service {

inline constexpr std::string_view kCorrelationHeader = "X-Correlation-Id";
inline constexpr std::string_view kTraceHeader = "traceparent";

struct TraceContext {
  std::string correlation_id, traceparent;  // empty where there are none, or none that can be kept
};
TraceContext TraceContextOf(const http::server::Headers& headers);

// `object` with those that there are.
json::object WithTraceContext(json::object object, std::string_view correlation_id,
                              std::string_view traceparent);

}  // namespace belljar::service
