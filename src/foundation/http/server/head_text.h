// Checks the head of a request as bytes: where it ends, and that it has only one interpretation.
//
// If a lenient parser (which accepts a lone LF, a folded line, a space before the colon) and a
// proxy with different leniency disagree about where a request ends, the rest of one request is
// taken for another: request smuggling. So all of these are refused before the parser sees a byte.
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

// The position after the empty line, if it is in `bytes`. The first `searched` bytes are known not
// to contain its end.
std::optional<std::size_t> FindHeadEnd(std::string_view bytes, std::size_t searched);

// The position after the first LF without a CR before it; such a head is malformed. The first
// `searched` bytes are known not to contain one.
std::optional<std::size_t> FindLoneLineFeed(std::string_view bytes, std::size_t searched);

// The refusal if the head exceeds the limit without an end; nullopt if it may still end.
std::optional<Response> RefuseUnended(std::string_view bytes, const HeadLimits& limits);

// The refusal of a complete head; nullopt if it is well-formed and within the limits.
std::optional<Response> RefuseHead(std::string_view head, const HeadLimits& limits);

// Whether the text is a "token" of the HTTP grammar: method and header names.
bool IsToken(std::string_view text);
// Whether the text is a valid header value: printable characters, spaces and tabs inside, bytes
// beyond ASCII.
bool IsFieldValue(std::string_view text);

}  // namespace belljar::http::server
