// A request as JSON: the inverse of the parser, used to pass a request on to a daemon; and parsing
// of partial requests over default values.
//
// Every limit is written out, so that the receiver's defaults do not matter. Standard input is sent
// as base64 if it is not text, or if JSON escapes would make it longer.
#pragma once

#include "foundation/base/json.h"
#include "request/request.h"

namespace belljar::request {

// ParseRequest(json::serialize(ToJson(request))) equals `request`, if it is valid.
json::object ToJson(const Request& request);

// Like ParseRequest, but keys missing in the text are taken from `defaults`. If the text sets
// standard input under any of its keys, that of the defaults is ignored.
Result<Request> ParseRequestOver(const json::object& defaults, std::string_view json_text);

}  // namespace belljar::request
