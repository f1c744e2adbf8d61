// Served: one request that has been answered, for logs and metrics; also those that this layer
// refused.
#pragma once

#include <chrono>
#include <functional>
#include <string>

#include "foundation/http/server/message.h"

namespace belljar::http::server {

struct Served {
  std::string method;
  std::string pattern;    // the route's; empty where no route was found
  std::string principal;  // empty where the caller was not identified
  Peer peer;
  Headers marks;  // what its handler has marked it with (Exchange::Mark), then its kept headers
  unsigned status = 0;
  std::chrono::microseconds took{0};  // from the end of the head to the last byte of the answer
};
using OnServed = std::function<void(const Served&)>;  // on an event loop: must not block
// A fault of our own, and the headers of the request that met it; on any thread.
using OnFault = std::function<void(const std::string&, const Headers&)>;

}  // namespace belljar::http::server
