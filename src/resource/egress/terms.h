// Call and EgressTerms: a call out of a cell, and what a cell may call. Plain values.
#pragma once

#include <chrono>
#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "judgement/policy/network.h"
#include "request/address.h"
#include "request/host_pattern.h"
#include "resource/test_switches.h"

namespace belljar::resource::egress {

// A completed request or tunnel of a guest.
struct Call {
  std::string method;
  std::string host;
  std::uint16_t port = 0;
  std::string address;         // the address connected to; empty: no connection was made
  unsigned status = 0;         // the answer's status; for a tunnel 200
  std::string refusal;         // why the call was refused or ended: "blocked-by-allowlist"
  std::uint64_t sent = 0;      // bytes out of the cell
  std::uint64_t received = 0;  // bytes into it
  std::chrono::milliseconds took{0};
};

// A secret value that replaces its placeholder in one header, for one host.
struct SecretValue {
  request::HostPattern host;
  judgement::policy::Secret::Scheme scheme = judgement::policy::Secret::Scheme::kHttp;
  std::string header;
  std::string placeholder;
  std::string value;
};

struct EgressTerms {
  std::vector<request::HostPattern> hosts;
  std::vector<std::string> methods;  // empty: all methods
  std::uint64_t max_requests = 0;
  std::uint64_t max_bytes = 0;
  std::uint64_t requests_per_minute = 0;
  std::vector<request::AddressRange> unsafe_private;
  std::vector<SecretValue> secrets;
  TestSwitches left_out;
  std::set<std::string> withdrawn;  // placeholders that are no longer replaced
};

// Why a call is refused: an HTTP status for the guest, an error code for programs, a sentence for
// people.
struct Refusal {
  unsigned status = 403;
  std::string error;
  std::string sentence;
};

}  // namespace belljar::resource::egress
