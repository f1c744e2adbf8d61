// Which kind of answer a client would have: its Accept header, with weights (RFC 9110, 12.4.2).
#pragma once

#include <optional>
#include <string_view>

#include "foundation/http/server/message.h"

namespace belljar::http::server {

// The weight, in thousandths, that Accept gives to exactly this range ("application/json", "*/*");
// nothing where it is not named. A weight that is none counts as 1.
std::optional<unsigned> NamedWeight(const Headers& headers, std::string_view range);

// The stream that a client names, unless it says that it would rather have JSON whole. Of two it
// is the one with the greater weight, of equals lines of JSON.
std::optional<StreamKind> StreamWanted(const Headers& headers);

}  // namespace belljar::http::server
