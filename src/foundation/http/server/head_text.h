// The head of a request as bytes: where it ends, and whether it can be read in one way only.
//
// A parser that forgives (a lone LF, a folded line, a space before the colon) and a proxy that
// forgives differently disagree about where a request ends, and the rest of one is taken for
// another: request smuggling. So nothing is forgiven, before the parser proper sees a byte.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

#include "foundation/http/server/message.h"

namespace belljar::http::server {

struct HeadLimits {
  std::size_t head_bytes = 16 << 10;  // request line and headers, with the empty line
  std::size_t headers = 100;
  std::size_t target_bytes = 8 << 10;
};

// One past the empty line, when it is in `bytes`. `searched` bytes are known not to hold its end.
std::optional<std::size_t> FindHeadEnd(std::string_view bytes, std::size_t searched);

// One past the first LF without a CR before it, behind which no head can end. Of the first
// `searched` bytes none is one.
std::optional<std::size_t> FindLoneLineFeed(std::string_view bytes, std::size_t searched);

// Why no more of this head is read: it has no end within the limit. Nothing while it may have.
std::optional<Response> RefuseUnended(std::string_view bytes, const HeadLimits& limits);

// Why a whole head is refused; nothing when it is plain and within the limits.
std::optional<Response> RefuseHead(std::string_view head, const HeadLimits& limits);

// "token" of the grammar: method and header names.
bool IsToken(std::string_view text);
// Fit for a header's value: printable, spaces and tabs inside, bytes beyond ASCII.
bool IsFieldValue(std::string_view text);

}  // namespace belljar::http::server
