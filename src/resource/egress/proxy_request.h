// Parsing of a guest's proxy request, and the check whether the cell's terms allow it. Pure
// functions.
//
// http::server::RequestReader has parsed the head so strictly that the end of the request is
// unambiguous. This code determines the destination: one name or address, on which target and Host
// header must agree, without user information or escapes, in canonical spelling.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "foundation/base/result.h"
#include "foundation/http/server/message.h"
#include "resource/egress/terms.h"

namespace belljar::resource::egress {

struct ProxyRequest {
  enum class Kind { kForward, kTunnel };

  Kind kind = Kind::kForward;
  std::string method;
  std::string host;  // canonical (policy/host_pattern.h)
  std::uint16_t port = 0;
  std::string path;  // with the query; empty for a tunnel
};

Result<ProxyRequest> ReadAsked(const http::server::Request& request, std::string_view target);

// Checks host, port and method; nullopt if the request may proceed to name resolution.
std::optional<Refusal> RefuseAsked(const ProxyRequest& asked, const EgressTerms& terms);
// Converts http::server::RequestReader's error response for a malformed request.
Refusal RefusalOf(const http::server::Response& unread);
// Checks the address that the name resolved to; nullopt if it may be connected to.
std::optional<Refusal> RefuseAddress(const ProxyRequest& asked, const request::Address& address,
                                     const EgressTerms& terms);

// Whether the request is safe to send again when its fate is unknown (an idempotent method).
bool IsRepeatable(const ProxyRequest& asked);
// Whether the broker itself makes the TLS connection to that host, because a secret for it requires
// that.
bool IsOverTls(const ProxyRequest& asked, const EgressTerms& terms);
// The secret values that may be sent to this destination.
std::vector<std::string> SecretsOf(const ProxyRequest& asked, const EgressTerms& terms);
// The port to connect to: the requested one, or 443 in place of 80 when the broker makes the TLS
// connection.
std::uint16_t UpstreamPort(const ProxyRequest& asked, const EgressTerms& terms);

// The head to send to the server: without the proxy's own headers, and with secrets substituted.
std::string ForwardHead(const ProxyRequest& asked, const http::server::Request& request,
                        const EgressTerms& terms);

}  // namespace belljar::resource::egress
