// All bounds of the HTTP layer. The defaults are for production; tests use shorter ones.
#pragma once

#include <chrono>
#include <cstddef>

#include "foundation/http/server/head_text.h"

namespace belljar::http::server {

// The bounds of the pool that runs handlers (workers.h).
struct WorkerLimits {
  std::size_t threads = 80;
  std::size_t threads_per_caller = 60;
  std::size_t queue = 1024;            // requests that wait for a thread
  std::size_t queue_per_caller = 768;  // for each Span
  std::size_t long_threads = 64;       // of `threads`
  std::size_t long_threads_per_caller = 48;
};

struct Limits {
  HeadLimits head;
  WorkerLimits workers;
  std::size_t io_threads = 2;
  std::size_t connections = 1024;
  std::size_t connections_per_peer = 768;       // per uid or per address
  std::size_t stream_buffer_bytes = 256 << 10;  // per direction and exchange
  std::size_t body_memory_bytes = 1 << 30;      // of all bodies that are read whole, together

  // Slow clients. Receiving a body may take `body_grace` plus the time that the bytes so far take
  // at the least rate; sending a response likewise with `write_grace`.
  // for a head, from its first byte or from the accept
  std::chrono::milliseconds head_time{10'000};
  std::chrono::milliseconds idle_time{60'000};  // between two requests
  std::chrono::milliseconds body_grace{10'000};
  std::chrono::milliseconds write_grace{30'000};
  std::size_t least_bytes_per_second = 1 << 10;

  // After a refusal the client has this long to read it before the connection is closed.
  std::chrono::milliseconds linger{1'000};
  std::chrono::milliseconds accept_pause{100};  // after accept() has failed
};

}  // namespace belljar::http::server
