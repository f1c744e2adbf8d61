#include "service/trace_context.h"

#include "foundation/base/text.h"
#include "request/request.h"
#include "service/traceparent.h"

namespace belljar::service {

TraceContext TraceContextOf(const http::server::Headers& headers) {
  TraceContext marks;
  const auto trace = headers.Find(kTraceHeader);
  if (trace && IsTraceparent(*trace)) marks.traceparent = *trace;
  const auto given = headers.Find(kCorrelationHeader);
  if (given && given->size() <= request::kMaxIdBytes && IsValidUtf8(*given)) {
    marks.correlation_id = *given;
  }
  return marks;
}

json::object WithTraceContext(json::object object, std::string_view correlation_id,
                              std::string_view traceparent) {
  if (!correlation_id.empty()) object["correlation_id"] = correlation_id;
  if (!traceparent.empty()) object["traceparent"] = traceparent;
  return object;
}

}  // namespace belljar::service
