// The state that all connections of one server share. Outlives them all.
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
  std::atomic<std::uint64_t> turned_away{0};      // connections refused by ConnectionLimit
  std::atomic<std::uint64_t> accept_failures{0};  // for example too many open files
  std::atomic<std::uint64_t> requests{0};
  std::atomic<std::uint64_t> queue_full{0};  // requests that this layer answered with 429
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
  std::atomic<bool> stopping{false};  // set: every connection closes after its next answer
  Workers workers;                    // last member: its jobs use the others
};

}  // namespace belljar::http::server
