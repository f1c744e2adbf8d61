// What the connections of one server have in common. Outlives them all.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "http/activity.h"
#include "http/gate.h"
#include "http/limits.h"
#include "http/seats.h"
#include "http/workers.h"

namespace belljar::http {

// One request that has been answered, for logs and metrics. Also those refused by this layer.
struct Served {
  std::string method;
  std::string pattern;    // the route's; empty where no route was found
  std::string principal;  // empty where nobody was identified
  Peer peer;
  Headers marks;  // what its handler has marked it with (Exchange::Mark), then its kept headers
  unsigned status = 0;
  std::chrono::microseconds took{0};  // from the end of the head to the last byte of the answer
};
using OnServed = std::function<void(const Served&)>;  // on an I/O thread: must not block
// A fault of our own, and the headers of the request that met it; on any thread.
using OnFault = std::function<void(const std::string&, const Headers&)>;

struct Counters {
  std::atomic<std::uint64_t> accepted{0};
  std::atomic<std::uint64_t> turned_away{0};      // connections, by the bounds on them
  std::atomic<std::uint64_t> accept_failures{0};  // such as too many open files
  std::atomic<std::uint64_t> requests{0};
  std::atomic<std::uint64_t> queue_full{0};  // requests answered 429 by this layer
};

struct Shared {
  Shared(const Limits& limits_in, Gate gate_in)
      : limits(limits_in),
        gate(std::move(gate_in)),
        seats(limits_in.connections, limits_in.connections_per_peer),
        workers(limits_in.workers) {}

  const Limits limits;
  const Gate gate;
  std::vector<std::string> kept_headers;
  OnServed on_served;
  OnFault on_fault;
  Counters counters;
  Activity activity;
  Seats seats;
  std::atomic<std::size_t> body_memory{0};
  std::atomic<bool> stopping{false};  // each answer from now on is its connection's last
  Workers workers;                    // last: its jobs use the others
};

}  // namespace belljar::http
