// OwnNames: by which names a listener may be spoken to.
//
// A page of another site can make a browser send requests to 127.0.0.1, and by changing what its
// own name resolves to it can even read the answers (DNS rebinding). Such a request still says in
// `Host` and `Origin` whom it was meant for, so both must name this very listener. Behind a Unix
// socket no browser stands: any Host will do there, but an Origin has no business.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "foundation/http/server/message.h"

namespace belljar::http::server {

class OwnNames {
 public:
  // Of a Unix socket.
  OwnNames() = default;
  // Of a TCP listener on `host` (brackets around IPv6) and `port`; `others` are further hosts.
  OwnNames(const std::string& host, std::uint16_t port, const std::vector<std::string>& others);

  // Why a request with these headers is refused here; nothing when it is meant for us.
  std::optional<Response> Refuse(const Headers& headers) const;

 private:
  bool Holds(std::string_view host) const;

  bool is_tcp_ = false;
  std::vector<std::string> hosts_;  // lower case, with port where it is not 80
};

}  // namespace belljar::http::server
