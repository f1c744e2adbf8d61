// Served: the record of one answered request, for logs and metrics. Requests that this layer
// refused have one too.
#pragma once

#include <chrono>
#include <functional>
#include <string>

#include "foundation/http/server/message.h"

namespace belljar::http::server {

struct Served {
  std::string method;
  std::string pattern;    // of the route; empty if no route was found
  std::string principal;  // empty if the caller was not authenticated
  Peer peer;
  Headers marks;  // values that its handler added (Exchange::Mark), then its kept headers
  unsigned status = 0;
  std::chrono::microseconds took{0};  // from the end of the head to the last byte of the answer
};
using OnServed = std::function<void(const Served&)>;  // runs on an event loop: must not block
// Receives an internal fault and the headers of the request that caused it; on any thread.
using OnFault = std::function<void(const std::string&, const Headers&)>;

}  // namespace belljar::http::server
