// Connection: one HTTP connection to a daemon on this machine, over its Unix socket.
//
// Opening it costs one connect(), which never blocks, so a caller learns within microseconds
// whether a daemon is there. A request carries the caller's code and data, so it is sent only to a
// listener that runs as the caller's own user or as root. The kernel reports that user
// (SO_PEERCRED); who owns the socket's file does not matter.
//
// There are no threads and no event loop: Exchange() blocks until the answer is complete; a caller
// with other descriptors to watch polls fd() and calls Receive(). Every wait is bounded. Not
// thread-safe.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstddef>
#include <functional>
#include <string>

#include "foundation/base/fd.h"
#include "foundation/base/result.h"
#include "foundation/http/client/response_reader.h"

namespace belljar::http::client {

struct Ask {
  std::string method = "GET";
  std::string target;  // path and query, percent-encoded
  std::string accept = "application/json";
  std::string content_type{};  // of the body, if there is one
  std::string body{};
  std::string prefer{};   // the Prefer header (RFC 7240); may be empty
  std::string upgrade{};  // the protocol to switch to; may be empty
};

struct Answer {
  unsigned status = 0;
  std::string body{};
};

struct Bounds {
  std::size_t body_bytes = 64 << 20;
  std::chrono::milliseconds silence{60'000};  // the longest wait for the next byte
};

// Produces a body piece by piece by calling the sink. It must return an error of the sink to its
// caller.
using BodySink = std::function<Result<>(std::string_view)>;
using BodySource = std::function<Result<>(const BodySink&)>;

class Connection {
 public:
  // Connects to `address`, which is unix:PATH. Errors: kNotFound: no process listens there;
  // kDenied: the listener runs as another user; kUnavailable: its queue of connections is full.
  static Result<Connection> Open(const std::string& address);

  // The pid of the listening process, as the kernel reports it.
  pid_t listener_pid() const { return listener_pid_; }
  int fd() const { return socket_.get(); }

  // Returns when the whole request has been sent, or earlier if the answer has begun.
  Result<> Send(const Ask& ask);
  // Passes the bytes that have arrived to `reader`, without blocking.
  Result<> Receive(ResponseReader& reader);

  // Sends the request and waits for the whole answer, whatever its status.
  Result<Answer> Exchange(const Ask& ask, const Bounds& bounds);
  // The same with a body that is produced while it is sent (chunked encoding). `ask.body` is
  // ignored.
  Result<Answer> Exchange(const Ask& ask, const BodySource& body, const Bounds& bounds);

  struct Upgraded {
    Answer answer;  // the whole answer, if the upgrade was refused
    Fd stream;      // open if the connection is now a byte stream
  };
  // Requests the protocol upgrade named in `ask.upgrade`. The stream begins directly after the head
  // of the answer. This Connection cannot be used afterwards.
  Result<Upgraded> Upgrade(const Ask& ask, const Bounds& bounds);

 private:
  Connection(Fd socket, pid_t listener_pid)
      : socket_(std::move(socket)), listener_pid_(listener_pid) {}
  Result<short> Wait(short events, std::chrono::milliseconds longest) const;
  enum class Sent { kAll, kAnswered };
  Result<Sent> SendBytes(std::string_view bytes);
  Result<Answer> AwaitAnswer(const Bounds& bounds);
  Result<std::string> ReadHead(const Bounds& bounds);

  Fd socket_;
  pid_t listener_pid_;
};

// Percent-encodes one path segment: everything but letters, digits and -._~.
std::string EscapeSegment(std::string_view text);
// Percent-encodes a path of several segments; slashes stay.
std::string EscapePath(std::string_view path);

// Converts an answer with a status other than 2xx to an Error.
Error ErrorOf(const Answer& answer);
// The same for an {"error":{"kind","message"}} object within a stream.
Error ErrorOf(std::string_view json_text);

}  // namespace belljar::http::client
