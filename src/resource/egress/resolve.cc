#include "resource/egress/resolve.h"

#include <netdb.h>

#include <algorithm>
#include <memory>

namespace belljar::resource::egress {

std::vector<request::Address> SystemResolve(const std::string& host) {
  constexpr std::size_t kMost = 8;
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = AI_ADDRCONFIG;
  addrinfo* found = nullptr;
  if (::getaddrinfo(host.c_str(), nullptr, &hints, &found) != 0) return {};
  const std::unique_ptr<addrinfo, decltype(&::freeaddrinfo)> all(found, ::freeaddrinfo);
  std::vector<request::Address> addresses;
  for (const addrinfo* each = found; each != nullptr && addresses.size() < kMost;
       each = each->ai_next) {
    const auto address = request::Address::From(each->ai_addr);
    if (address && std::ranges::find(addresses, *address) == addresses.end()) {
      addresses.push_back(*address);
    }
  }
  return addresses;
}

}  // namespace belljar::resource::egress
