// Content negotiation: the kind of answer that a client's Accept header prefers, with weights (RFC
// 9110, 12.4.2).
#pragma once

#include <optional>
#include <string_view>

#include "foundation/http/server/message.h"

namespace belljar::http::server {

// The weight, in thousandths, that Accept gives to exactly this range ("application/json", "*/*");
// nullopt if it is not listed. An invalid weight counts as 1.
std::optional<unsigned> NamedWeight(const Headers& headers, std::string_view range);

// The kind of stream that a client accepts; nullopt if it prefers a whole JSON answer. Of two kinds
// the one with the greater weight is chosen, with equal weights NDJSON.
std::optional<StreamKind> StreamWanted(const Headers& headers);

}  // namespace belljar::http::server
