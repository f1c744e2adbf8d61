// Controls of the broker that tests leave out, to show what each of them holds. One that holds
// anything is made by belljar-loose alone (engine/switch_off.h); in belljar nothing is ever in it.
#pragma once

#include <cstdint>

namespace belljar::broker {

enum class Control : std::uint32_t {
  kHosts = 1U << 0,          // of egress: only those that were given
  kAddresses = 1U << 1,      // only those that are public
  kServerName = 1U << 2,     // a tunnel is TLS for the name it was asked for
  kSecretHost = 1U << 3,     // a value replaces its placeholder for its own host
  kToolNames = 1U << 4,      // only tools that are listed
  kToolArguments = 1U << 5,  // with arguments that keep to the rules
  kToolQuestion = 1U << 6,   // a person agrees to a call
  kReadOnly = 1U << 7,       // what reads a database cannot write
  kWriteQuestion = 1U << 8,  // a person agrees to a write before it is committed
};

class LeftOut {
 public:
  void Add(Control control) { controls_ |= static_cast<std::uint32_t>(control); }
  bool Has(Control control) const { return (controls_ & static_cast<std::uint32_t>(control)) != 0; }

 private:
  std::uint32_t controls_ = 0;
};

}  // namespace belljar::broker
