// JSON over HTTP: what routes answer with.
#pragma once

#include <string_view>

#include "foundation/base/json.h"
#include "foundation/base/result.h"
#include "foundation/http/server/message.h"
#include "run/session/info.h"

namespace belljar::door::api {

constexpr std::uint64_t kMaxRunBody = 160ULL << 20;  // as a line of --jsonl
constexpr std::uint64_t kMaxSmallBody = 1ULL << 20;

http::server::Response JsonAnswer(const json::value& value, unsigned status = 200);

// The object that a body is; an empty body is an empty object.
Result<json::object> ParseBody(std::string_view body);
// Also refuses a key that is given twice. A request's own parser does that for requests.
Result<json::object> ParseStrictBody(std::string_view body);

// A failure as its caller should take it. Descriptors, processes, memory or a writable disk that
// Belljar lacks are "not now", and neither the caller's fault nor its quota.
Error ForCaller(const Error& error);

}  // namespace belljar::door::api
