// The values of an HTTP exchange: requests, responses, peers and principals.
//
// A Request is built only after every length and count in it has been checked against its limit,
// and after its head has been found unambiguous (head_text.h). A Response is checked when it is
// sent: a header that could split the response, or that would open the server to other origins
// (CORS), turns it into a 500.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "foundation/base/result.h"

namespace belljar::http::server {

struct Peer {
  enum class Door { kUnix, kTcp };
  Door door = Door::kUnix;
  std::optional<uid_t> uid;  // of the process that connected; Unix sockets only (SO_PEERCRED)
  std::string address;       // "127.0.0.1:40312" or "unix"

  // The key for counting connections: the uid, or the address without its port.
  std::string CountedAs() const;
};

struct Header {
  std::string name;
  std::string value;
};

class Headers {
 public:
  void Add(std::string name, std::string value);
  // The first value of that name; names are case-insensitive.
  std::optional<std::string_view> Find(std::string_view name) const;
  std::size_t Count(std::string_view name) const;
  const std::vector<Header>& all() const { return all_; }

 private:
  std::vector<Header> all_;
};

struct Request {
  std::string method;  // upper case, as sent
  std::string path;    // decoded once: "/" and the segments joined by "/"
  // none is empty, "." or ".."; none contains "/" or a control character
  std::vector<std::string> segments;
  std::multimap<std::string, std::string> query;
  // parameters of the route's pattern; "a/b" for a "{name...}"
  std::map<std::string, std::string> params;
  Headers headers;
  std::string body;  // empty if the route reads its body in pieces
  Peer peer;
};

// The authenticated caller, as returned by the server's authenticate callback.
struct Principal {
  std::string name;
  std::set<std::string> scopes;
};

struct Response {
  unsigned status = 200;
  std::string content_type = "application/json";  // empty: the header is not sent
  std::string body;
  Headers headers;
};

enum class StreamKind {
  kNdjson,  // one JSON text per line
  kSse,     // the same as `data:` lines of server-sent events
  kBytes,   // pieces of one body, such as a tar archive
};
struct StreamHead {
  StreamKind kind = StreamKind::kNdjson;
  unsigned status = 200;
  std::string content_type;  // for kBytes; the other kinds have fixed types
  Headers headers;
};

// 400 invalid, 403 denied, 404 not found, 429 exhausted, 503 unavailable, 500 internal.
unsigned StatusFor(Kind kind);
std::string_view ReasonPhrase(unsigned status);

// {"error":{"kind","message"}}, with Retry-After where it helps to wait.
Response ErrorResponse(const Error& error);
Response ErrorResponse(unsigned status, const Error& error);

bool EqualIgnoringCase(std::string_view a, std::string_view b);
std::string ToLower(std::string_view text);

}  // namespace belljar::http::server
