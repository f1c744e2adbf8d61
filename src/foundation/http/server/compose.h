// Serialises responses.
//
// Every response states its length, forbids sniffing of its type, and forbids caching unless its
// handler has set a caching header. Headers set by a handler are checked: a name or value that
// could end the header early, a header that this layer writes itself, and any header that would
// open the server to other origins (CORS) turn the response into a 500.
#pragma once

#include <string>
#include <string_view>

#include "foundation/http/server/message.h"

namespace belljar::http::server {

enum class After { kKeepOpen, kClose };
enum class Extent { kWhole, kHeadOnly };  // kHeadOnly: the answer to HEAD is GET's without its body

// Status line, headers and body.
std::string ComposeAnswer(const Response& response, After after, Extent extent);
// The head of a chunked stream; the body's pieces follow.
std::string ComposeStreamHead(const StreamHead& head, After after);

// Checks that a response can be sent as its handler has built it.
Result<> CheckSendable(unsigned status, std::string_view content_type, const Headers& headers);

// One chunk of a stream; "" for empty bytes, since an empty chunk would end the stream.
std::string Chunk(std::string_view bytes);
constexpr std::string_view kLastChunk = "0\r\n\r\n";
constexpr std::string_view kContinue = "HTTP/1.1 100 Continue\r\n\r\n";

// Frames an event for its kind of stream. An event that contains a line end is refused.
Result<std::string> Frame(StreamKind kind, std::string_view event);

}  // namespace belljar::http::server
