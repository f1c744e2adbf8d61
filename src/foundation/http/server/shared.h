// What the connections of one server have in common. Outlives them all.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>
#include <vector>

#include "foundation/http/server/activity.h"
#include "foundation/http/server/connection_limit.h"
#include "foundation/http/server/gate.h"
#include "foundation/http/server/limits.h"
#include "foundation/http/server/served.h"
#include "foundation/http/server/workers.h"

namespace belljar::http::server {

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
  ConnectionLimit seats;
  std::atomic<std::size_t> body_memory{0};
  std::atomic<bool> stopping{false};  // each answer from now on is its connection's last
  Workers workers;                    // last: its jobs use the others
};

}  // namespace belljar::http::server
