// JSON over HTTP: helpers for the routes' bodies and answers.
#pragma once

#include <string_view>

#include "foundation/base/json.h"
#include "foundation/base/result.h"
#include "foundation/http/server/message.h"
#include "run/session/info.h"

namespace belljar::door::api {

constexpr std::uint64_t kMaxRunBody = 160ULL << 20;  // same as a line of --jsonl
constexpr std::uint64_t kMaxSmallBody = 1ULL << 20;

http::server::Response JsonAnswer(const json::value& value, unsigned status = 200);

// Parses a body as a JSON object; an empty body is an empty object.
Result<json::object> ParseBody(std::string_view body);
// Also rejects duplicate keys. For requests, the request parser does that.
Result<json::object> ParseStrictBody(std::string_view body);

// Maps an internal error to the one its caller gets. A lack of descriptors, processes, memory or a
// writable disk on the daemon's side becomes "unavailable": it is neither the caller's fault nor
// its quota.
Error ForCaller(const Error& error);

}  // namespace belljar::door::api
