// A request as JSON: the inverse of its parser, for whoever passes one on to a daemon, and what
// requests say that leave something out.
//
// Every limit is written out, so that the other side need not have the same defaults. Bytes of
// standard input that are not text, or that JSON would blow up, go as base64.
#pragma once

#include "base/json.h"
#include "policy/request.h"

namespace belljar::policy {

// ParseRequest(json::serialize(ToJson(request))) gives `request`, if it is a valid one.
json::object ToJson(const Request& request);

// As ParseRequest, with the keys of `defaults` where the text does not have them. Its own standard
// input, under whichever key, goes before that of the defaults.
Result<Request> ParseRequestOver(const json::object& defaults, std::string_view json_text);

}  // namespace belljar::policy
