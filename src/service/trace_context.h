// TraceContext: identifiers that a caller attaches to a request, "traceparent" (W3C) and
// "X-Correlation-Id". They are copied to everything that is written about the request: log lines,
// events, records, results.
#pragma once

#include <string>
#include <string_view>

#include "foundation/base/json.h"
#include "foundation/http/server/message.h"

namespace belljar::service {

inline constexpr std::string_view kCorrelationHeader = "X-Correlation-Id";
inline constexpr std::string_view kTraceHeader = "traceparent";

struct TraceContext {
  std::string correlation_id, traceparent;  // empty where missing or invalid
};
TraceContext TraceContextOf(const http::server::Headers& headers);

// `object` with those identifiers that are not empty.
json::object WithTraceContext(json::object object, std::string_view correlation_id,
                              std::string_view traceparent);

}  // namespace belljar::service
