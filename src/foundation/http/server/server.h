// Server: the HTTP/1.1 layer. It knows listeners, routes and limits, and nothing about the product.
//
// A few event loops, each with its own thread, serve all connections. A connection stays on its
// loop and is one coroutine there (Boost.Asio; Boost.Beast parses heads and chunks, Boost.URL
// targets). Handlers block, so they run on a bounded pool of other threads (workers.h). With a
// thread per connection, idle clients would occupy threads; with handlers on the loops, one slow
// run would block every client of its loop.
//
// All input is hostile. Every length, count and time has a bound (limits.h); what is beyond it
// is answered with a JSON error, {"error":{"kind","message"}}, and where the client could still be
// sending, the connection is closed after it:
//   400 malformed   401 not identified   403 not allowed, foreign Host or Origin   404   405
//   408 too slow    413 body too large   414 target too long   415 media type   417   431 head too
//   large   429 queue full (Retry-After)   501 other transfer encodings   503 too many connections
//   or bodies (Retry-After)   505 not HTTP/1.1
// No header for other origins is ever sent. There is no TLS: TCP is for loopback, see listener.h.
//
// Life cycle: Create() binds, Start() serves, StopAccepting() closes the listeners and idle
// connections, Drain() waits for answers in progress. The destructor cuts the remaining connections
// and returns when their handlers have returned, so handlers must react to Exchange::client_gone().
//
// If accept() fails, for example because descriptors run out, it is tried again after a pause;
// meanwhile clients wait in the kernel's queue. Thread-safe from Start() on.
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
  Authenticate authenticate;  // absent: only public routes can be used
  Router router;
  std::vector<std::string> kept_headers;  // request headers to copy into Served
  OnServed on_served;
  OnFault on_fault;
};

// Totals since the start; the last three are present values.
struct Stats {
  std::uint64_t accepted = 0;
  std::uint64_t turned_away = 0;
  std::uint64_t accept_failures = 0;
  std::uint64_t requests = 0;
  std::uint64_t queue_full = 0;
  std::size_t connections = 0;
  std::size_t waiting = 0;  // requests that wait for a worker thread
  std::size_t body_memory_bytes = 0;
};

class Server {
 public:
  static Result<std::unique_ptr<Server>> Create(Options options);
  ~Server();

  // The addresses that clients can connect to, with the ports actually bound.
  std::vector<std::string> addresses() const;

  Result<> Start();
  void StopAccepting();
  // Stops accepting and waits for the outstanding answers. An error says how many were cut off at
  // the deadline.
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
