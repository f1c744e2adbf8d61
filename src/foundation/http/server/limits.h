// Every bound of the HTTP layer, in one place. The defaults are the product's; tests shorten them.
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
  std::size_t queue_per_caller = 768;  // of each span
  std::size_t long_threads = 64;       // of `threads`
  std::size_t long_threads_per_caller = 48;
};

struct Limits {
  HeadLimits head;
  WorkerLimits workers;
  std::size_t io_threads = 2;
  std::size_t connections = 1024;
  std::size_t connections_per_peer = 768;       // of one uid or one address
  std::size_t stream_buffer_bytes = 256 << 10;  // each way, of each exchange
  std::size_t body_memory_bytes = 1 << 30;      // bodies that are read whole, all together

  // Slow clients. A body may take `body_grace` and the time that its bytes so far are worth at the
  // least rate; so may a response.
  std::chrono::milliseconds head_time{10'000};  // from a connection's or a head's first moment
  std::chrono::milliseconds idle_time{60'000};  // between two requests
  std::chrono::milliseconds body_grace{10'000};
  std::chrono::milliseconds write_grace{30'000};
  std::size_t least_bytes_per_second = 1 << 10;

  // After a refusal the client is given this long to read it before the connection goes.
  std::chrono::milliseconds linger{1'000};
  std::chrono::milliseconds accept_pause{100};  // after accept() has failed
};

}  // namespace belljar::http::server
