// The name in a TLS ClientHello, read from the first bytes of a tunnel.
//
// A tunnel is opened for a name; what goes through it must be TLS for that very name, or it would
// be a way to anything else behind the same address. Nothing but lengths is trusted on the way to
// the one extension, and no more than kMaxHelloBytes are ever looked at.
#pragma once

#include <string>
#include <string_view>

namespace belljar::broker {

constexpr std::size_t kMaxHelloBytes = 32 * 1024;

enum class HelloState {
  kIncomplete,  // so far so good: more bytes are needed
  kNotTls,      // not a ClientHello, or a malformed one
  kComplete,
};

struct Hello {
  HelloState state = HelloState::kIncomplete;
  std::string name;  // of kComplete: in lower case; empty if it names none
};

Hello ReadHello(std::string_view bytes);

}  // namespace belljar::broker
