// What a guest asks of the proxy, and whether its terms allow it. Pure functions.
//
// The head has been read by http::RequestReader, which leaves no room for two readings of where a
// request ends. Here it is read whom it is for: one name or address, which the target and the Host
// header say alike, without a user, without an escape, in the one spelling that hosts have.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "broker/call.h"
#include "http/message.h"

namespace belljar::broker {

struct Asked {
  enum class Kind { kForward, kTunnel };

  Kind kind = Kind::kForward;
  std::string method;
  std::string host;  // canonical (policy/host_pattern.h)
  std::uint16_t port = 0;
  std::string path;  // with the query; of a tunnel empty
};

Result<Asked> ReadAsked(const http::Request& request, std::string_view target);

// By hosts, ports and methods; nothing when it may go on to be resolved.
std::optional<Refusal> RefuseAsked(const Asked& asked, const EgressTerms& terms);
// Of a request that could not be read, as http::RequestReader says it.
Refusal RefusalOf(const http::Response& unread);
// By what it resolved to; nothing when it may be connected to.
std::optional<Refusal> RefuseAddress(const Asked& asked, const policy::Address& address,
                                     const EgressTerms& terms);

// Whether it may be sent again when nobody knows what became of it.
bool IsRepeatable(const Asked& asked);
// Whether the broker speaks TLS to that host, because a secret for it says so.
bool IsOverTls(const Asked& asked, const EgressTerms& terms);
// The values that may go to where this goes.
std::vector<std::string> SecretsOf(const Asked& asked, const EgressTerms& terms);
// Which port is connected to: that asked for, or the one of TLS in place of 80.
std::uint16_t UpstreamPort(const Asked& asked, const EgressTerms& terms);

// The head for the server that was asked for: without what is for the proxy, and with secrets in
// their places.
std::string ForwardHead(const Asked& asked, const http::Request& request, const EgressTerms& terms);

}  // namespace belljar::broker
