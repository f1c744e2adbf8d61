// HostPattern: which hosts a policy or a request names, and whether a target is one of them.
//
//   api.example.com        that name, on ports 80 and 443
//   *.example.com          every name below it, at any depth, and not itself
//   api.example.com:8443   that port alone
//   192.0.2.7, [2001:db8::7]:8443   an address, spelled as addresses are printed
//
// A star alone, or before a single label, would be a way to everywhere and is no pattern. Names are
// compared as text, without case: what a name resolves to is judged elsewhere (address.h).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace belljar::policy {

struct HostPattern {
  enum class Match { kExact, kBelow };

  std::string name;  // in lower case; an address without brackets
  Match match = Match::kExact;
  std::optional<std::uint16_t> port;  // none: 80 and 443
  bool operator==(const HostPattern&) const = default;
};

constexpr std::size_t kMaxHostBytes = 253;
constexpr std::size_t kMaxHostPatterns = 64;

Result<HostPattern> ParseHostPattern(std::string_view text);
Result<std::vector<HostPattern>> ParseHostPatterns(const std::vector<std::string>& texts);
// The hosts of a request, as "allow_hosts" and --allow-host give them.
Result<> ValidateHosts(const std::vector<std::string>& hosts);

// A host as a request may spell it: a name or an address, without its port. The text in lower case,
// without brackets; an error for what is neither, such as a number in another spelling of
// addresses.
Result<std::string> CanonicalHost(std::string_view text);

// `host` is canonical.
bool Matches(const HostPattern& pattern, std::string_view host, std::uint16_t port);
bool MatchesAny(const std::vector<HostPattern>& patterns, std::string_view host,
                std::uint16_t port);

// Whether everything that `narrow` matches is matched by `wide`.
bool IsWithin(const HostPattern& narrow, const HostPattern& wide);

// What matches both, if anything does.
std::optional<HostPattern> Intersect(const HostPattern& one, const HostPattern& other);
std::vector<HostPattern> IntersectAll(const std::vector<HostPattern>& some,
                                      const std::vector<HostPattern>& others);

}  // namespace belljar::policy
