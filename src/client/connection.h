// Connection: one way to a daemon on this machine, over its Unix socket.
//
// Opening it costs one connect(), which never waits, so that whoever only wants to know whether a
// daemon is there learns it in microseconds. What is sent to a daemon is code and data of the
// caller's: it goes only to a listener that is the caller's own or root's, by the word of the
// kernel (SO_PEERCRED), whoever owns the socket's name.
//
// No threads and no event loop: Exchange() waits by itself, and who has other descriptors to watch
// polls fd() and calls Receive(). Every wait is bounded. Not thread-safe.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstddef>
#include <functional>
#include <string>

#include "base/fd.h"
#include "base/result.h"
#include "client/response_reader.h"

namespace belljar::client {

struct Ask {
  std::string method = "GET";
  std::string target;  // path and query, encoded
  std::string accept = "application/json";
  std::string content_type{};  // of the body, if it has one
  std::string body{};
  std::string prefer{};   // RFC 7240, if anything is
  std::string upgrade{};  // what the connection is to become, if anything
};

struct Answer {
  unsigned status = 0;
  std::string body{};
};

struct Bounds {
  std::size_t body_bytes = 64 << 20;
  std::chrono::milliseconds silence{60'000};  // the longest wait for the next byte
};

// Makes a body piece by piece. An error of the sink is to be handed back.
using BodySink = std::function<Result<>(std::string_view)>;
using BodySource = std::function<Result<>(const BodySink&)>;

class Connection {
 public:
  // `address` is unix:PATH. kNotFound: nobody listens there; kDenied: somebody whom we do not
  // trust; kUnavailable: it has no room for us now.
  static Result<Connection> Open(const std::string& address);

  // The process that listens, as the kernel knows it.
  pid_t listener_pid() const { return listener_pid_; }
  int fd() const { return socket_.get(); }

  // Returns when all has been sent, or when the answer has begun before that.
  Result<> Send(const Ask& ask);
  // Hands what has come to `reader`, without waiting.
  Result<> Receive(ResponseReader& reader);

  // Asks, and waits for the whole answer, whatever its status.
  Result<Answer> Exchange(const Ask& ask, const Bounds& bounds);
  // The same with a body that is made while it is sent, in chunks. `ask.body` is not sent.
  Result<Answer> Exchange(const Ask& ask, const BodySource& body, const Bounds& bounds);

  struct Upgraded {
    Answer answer;  // of a refusal, whole
    Fd stream;      // open if the connection is now a stream of bytes
  };
  // Asks for what `ask.upgrade` names. The first byte of the stream is the first behind the head of
  // the answer. The connection is spent.
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

// A path segment, with everything but letters, digits and -._~ escaped.
std::string EscapeSegment(std::string_view text);
// A path of several: slashes stay.
std::string EscapePath(std::string_view path);

// The Error that an answer with a status other than 2xx tells of.
Error ErrorOf(const Answer& answer);
// The same of an {"error":{"kind","message"}} in a stream.
Error ErrorOf(std::string_view json_text);

}  // namespace belljar::client
