#include "resource/egress/narrow_terms.h"

#include <algorithm>

namespace belljar::resource::egress {

EgressTerms NarrowTerms(EgressTerms held, const EgressTerms& now) {
  held.hosts = request::IntersectAll(held.hosts, now.hosts);
  if (held.methods.empty()) {
    held.methods = now.methods;
  } else if (!now.methods.empty()) {
    std::erase_if(held.methods, [&](const std::string& method) {
      return std::ranges::find(now.methods, method) == now.methods.end();
    });
    // An empty list of methods means all methods, so the hosts are removed.
    if (held.methods.empty()) held.hosts.clear();
  }
  std::erase_if(held.unsafe_private, [&](const request::AddressRange& range) {
    return std::ranges::find(now.unsafe_private, range) == now.unsafe_private.end();
  });
  for (const SecretValue& secret : held.secrets) {
    const bool stays = std::ranges::any_of(now.secrets, [&](const SecretValue& other) {
      return other.placeholder == secret.placeholder;
    });
    if (!stays) held.withdrawn.insert(secret.placeholder);
  }
  return held;
}

}  // namespace belljar::resource::egress
