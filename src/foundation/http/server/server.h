// Server: the HTTP/1.1 layer. It knows listeners, routes and limits, and nothing of what is served.
//
// A few event loops, each with a thread of its own, carry all connections; a connection stays on
// its loop and is one coroutine there (Boost.Asio; heads and chunks are read by Boost.Beast,
// targets by Boost.URL). Handlers block, so they run on a bounded pool of other threads
// (workers.h). A thread per connection would let idle clients hold threads; handlers on the loops
// would let one slow run stop every client of its loop.
//
// What comes in is hostile. Every length, count and time has a bound (limits.h); what is beyond it
// is answered with a JSON error, {"error":{"kind","message"}}, and where the client could still be
// sending, the connection is closed after it:
//   400 malformed   401 not identified   403 not allowed, foreign Host or Origin   404   405
//   408 too slow    413 body too large   414 target too long   415 media type   417   431 head too
//   large   429 queue full (Retry-After)   501 other transfer encodings   503 too many connections
//   or bodies (Retry-After)   505 not HTTP/1.1
// No header for other origins is ever sent. There is no TLS: TCP is for loopback, see listener.h.
//
// Life: Create() binds, Start() serves, StopAccepting() closes the listeners and idle connections,
// Drain() waits for what is being answered. The destructor cuts what is left; it returns when the
// handlers have, so handlers must heed Exchange::client_gone().
//
// accept() that fails, as it does when descriptors run out, is tried again after a pause; clients
// wait in the kernel's queue meanwhile. Thread-safe from Start() on.
#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "foundation/base/fd.h"
#include "foundation/base/result.h"
#include "foundation/http/server/gate.h"
#include "foundation/http/server/limits.h"
#include "foundation/http/server/listener.h"
#include "foundation/http/server/router.h"
#include "foundation/http/server/served.h"

namespace belljar::http::server {

struct Options {
  std::vector<std::string> listen;  // "unix:PATH", "HOST:PORT"
  ListenOptions listening;
  Limits limits;
  Authenticate authenticate;  // without one, only public routes can be used
  Router router;
  std::vector<std::string> kept_headers;  // of requests, for on_served
  OnServed on_served;
  OnFault on_fault;
};

// Counted since the start, but for the last three, which are of now.
struct Stats {
  std::uint64_t accepted = 0;
  std::uint64_t turned_away = 0;
  std::uint64_t accept_failures = 0;
  std::uint64_t requests = 0;
  std::uint64_t queue_full = 0;
  std::size_t connections = 0;
  std::size_t waiting = 0;  // requests that wait for a thread of the pool
  std::size_t body_memory_bytes = 0;
};

class Server {
 public:
  static Result<std::unique_ptr<Server>> Create(Options options);
  ~Server();

  // Where clients can connect, with the ports actually bound.
  std::vector<std::string> addresses() const;

  Result<> Start();
  void StopAccepting();
  // Stops accepting and waits for the answers that are owed. An error says how many were cut off
  // at the deadline.
  Result<> Drain(std::chrono::steady_clock::time_point deadline);

  // Serves a connected stream socket as if it had been accepted on a Unix listener.
  void Serve(Fd socket);

  Stats stats() const;

 private:
  struct Impl;
  explicit Server(std::unique_ptr<Impl> impl);

  std::unique_ptr<Impl> impl_;
};

}  // namespace belljar::http::server
