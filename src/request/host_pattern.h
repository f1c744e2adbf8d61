// HostPattern: a pattern of host names in a policy or a request, and matching of targets against
// it.
//
//   api.example.com        that name, on ports 80 and 443
//   *.example.com          every name below it, at any depth, but not example.com itself
//   api.example.com:8443   that port only
//   192.0.2.7, [2001:db8::7]:8443   an address in canonical spelling
//
// A star alone, or before a single label, would match nearly every host and is refused. Names are
// compared as text, ignoring case; the addresses that a name resolves to are checked elsewhere
// (address.h).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "foundation/base/result.h"

namespace belljar::request {

struct HostPattern {
  enum class Match { kExact, kBelow };

  std::string name;  // in lower case; an address without brackets
  Match match = Match::kExact;
  std::optional<std::uint16_t> port;  // nullopt: 80 and 443
  bool operator==(const HostPattern&) const = default;
};

constexpr std::size_t kMaxHostBytes = 253;
constexpr std::size_t kMaxHostPatterns = 64;

Result<HostPattern> ParseHostPattern(std::string_view text);
Result<std::vector<HostPattern>> ParseHostPatterns(const std::vector<std::string>& texts);
// Validates the hosts of a request, as in "allow_hosts" and --allow-host.
Result<> ValidateHosts(const std::vector<std::string>& hosts);

// The canonical form of a host in a request (a name or an address, without its port): lower case,
// without brackets. An error if it is neither, for example an address as a single number.
Result<std::string> CanonicalHost(std::string_view text);

// `host` must be canonical.
bool Matches(const HostPattern& pattern, std::string_view host, std::uint16_t port);
bool MatchesAny(const std::vector<HostPattern>& patterns, std::string_view host,
                std::uint16_t port);

// Whether `wide` matches everything that `narrow` matches.
bool IsWithin(const HostPattern& narrow, const HostPattern& wide);

// The pattern that matches what both match; nullopt if nothing does.
std::optional<HostPattern> Intersect(const HostPattern& one, const HostPattern& other);
std::vector<HostPattern> IntersectAll(const std::vector<HostPattern>& some,
                                      const std::vector<HostPattern>& others);

}  // namespace belljar::request
