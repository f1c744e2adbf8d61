// Test switches that disable single controls of the broker, to prove that a test notices each. Only
// belljar-loose can set them (engine/switch_off.h); in belljar the set is always empty.
#pragma once

#include <cstdint>

namespace belljar::resource {

enum class Control : std::uint32_t {
  kHosts = 1U << 0,          // egress: only listed hosts
  kAddresses = 1U << 1,      // egress: only public addresses
  kServerName = 1U << 2,     // egress: a tunnel is TLS for its host name
  kSecretHost = 1U << 3,     // egress: a secret is sent only to its own host
  kToolNames = 1U << 4,      // tools: only listed tools
  kToolArguments = 1U << 5,  // tools: arguments must satisfy the rules
  kToolQuestion = 1U << 6,   // tools: a person approves a call
  kReadOnly = 1U << 7,       // databases: reads cannot write
  kWriteQuestion = 1U << 8,  // databases: a person approves a write before its commit
};

class TestSwitches {
 public:
  void Add(Control control) { controls_ |= static_cast<std::uint32_t>(control); }
  bool Has(Control control) const { return (controls_ & static_cast<std::uint32_t>(control)) != 0; }

 private:
  std::uint32_t controls_ = 0;
};

}  // namespace belljar::resource
