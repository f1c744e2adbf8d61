// What is said over HTTP, as plain values: requests, responses, who speaks.
//
// A Request is built only after every length and count in it has been held against its limit, and
// after the head has been found free of anything that two readers could read in two ways. A
// Response is checked when it is sent: a header that could split it, or that would open the
// server to other origins, turns it into a 500.
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

  // What connections are counted by: the uid, or the address without its port.
  std::string CountedAs() const;
};

struct Header {
  std::string name;
  std::string value;
};

class Headers {
 public:
  void Add(std::string name, std::string value);
  // The first value; names are compared without regard to case.
  std::optional<std::string_view> Find(std::string_view name) const;
  std::size_t Count(std::string_view name) const;
  const std::vector<Header>& all() const { return all_; }

 private:
  std::vector<Header> all_;
};

struct Request {
  std::string method;                 // upper case, as sent
  std::string path;                   // decoded once: "/" and the segments joined by "/"
  std::vector<std::string> segments;  // none is empty, "." or "..", none holds "/" or a control
  std::multimap<std::string, std::string> query;
  std::map<std::string, std::string> params;  // what the route's pattern named; "a/b" for a tail
  Headers headers;
  std::string body;  // empty where the route reads its body in pieces
  Peer peer;
};

// Who asks, as the server's authenticate callback said.
struct Principal {
  std::string name;
  std::set<std::string> scopes;
};

struct Response {
  unsigned status = 200;
  std::string content_type = "application/json";  // empty: no such header
  std::string body;
  Headers headers;
};

enum class StreamKind {
  kNdjson,  // one JSON text per line
  kSse,     // the same as `data:` of server-sent events
  kBytes,   // pieces of one body, such as a tar
};
struct StreamHead {
  StreamKind kind = StreamKind::kNdjson;
  unsigned status = 200;
  std::string content_type;  // of kBytes; the others have their own
  Headers headers;
};

// 400 invalid, 403 denied, 404 not found, 429 exhausted, 503 unavailable, 500 internal.
unsigned StatusFor(Kind kind);
std::string_view ReasonPhrase(unsigned status);

// {"error":{"kind","message"}}, with Retry-After where waiting helps.
Response ErrorResponse(const Error& error);
Response ErrorResponse(unsigned status, const Error& error);

bool EqualIgnoringCase(std::string_view a, std::string_view b);
std::string ToLower(std::string_view text);

}  // namespace belljar::http::server
