// Extracts the server name (SNI) from a TLS ClientHello, the first bytes of a tunnel.
//
// A tunnel is requested for a host name, and its content must be TLS for that same name; otherwise
// it could reach any other host behind the same address. The parser validates all lengths on the
// way to that one extension, and looks at no more than kMaxHelloBytes.
#pragma once

#include <string>
#include <string_view>

namespace belljar::resource::egress {

constexpr std::size_t kMaxHelloBytes = 32 * 1024;

enum class HelloState {
  kIncomplete,  // valid so far; more bytes are needed
  kNotTls,      // not a ClientHello, or a malformed one
  kComplete,
};

struct Hello {
  HelloState state = HelloState::kIncomplete;
  std::string name;  // if kComplete: in lower case; empty if there is no name
};

Hello ReadHello(std::string_view bytes);

}  // namespace belljar::resource::egress
