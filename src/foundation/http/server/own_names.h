// OwnNames: the host names by which a listener may be addressed.
//
// A web page can make a browser send requests to 127.0.0.1, and by changing what its own host name
// resolves to it can even read the answers (DNS rebinding). `Host` and `Origin` of such a request
// still contain the page's name, so both must name this listener. No browser connects to a Unix
// socket: there any Host is accepted, but any Origin is refused.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "foundation/http/server/message.h"

namespace belljar::http::server {

class OwnNames {
 public:
  // For a Unix socket.
  OwnNames() = default;
  // For a TCP listener on `host` (IPv6 in brackets) and `port`; `others` are further host names.
  OwnNames(const std::string& host, std::uint16_t port, const std::vector<std::string>& others);

  // The refusal of a request with these headers; nullopt if it is addressed to this listener.
  std::optional<Response> Refuse(const Headers& headers) const;

 private:
  bool Holds(std::string_view host) const;

  bool is_tcp_ = false;
  std::vector<std::string> hosts_;  // lower case, with the port unless it is 80
};

}  // namespace belljar::http::server
