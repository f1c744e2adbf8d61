// Address: an IP address as a value, and the check whether a cell may connect to it.
//
// Only addresses of the public internet are allowed. Everything that IANA's special-purpose
// registries reserve is refused (the host itself and its network, metadata services, multicast,
// documentation, and the IPv6 forms that embed an IPv4 address). The check looks at the bytes of
// the address, not at its spelling.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "foundation/base/result.h"

struct sockaddr;

namespace belljar::request {

class Address {
 public:
  // Accepts only the canonical spelling: "192.0.2.7", "2001:db8::7"; no scope.
  static std::optional<Address> Parse(std::string_view text);
  static std::optional<Address> From(const sockaddr* address);

  bool is_v6() const { return v6_; }
  // IPv4 uses the first 4 bytes, IPv6 all 16.
  const std::array<std::uint8_t, 16>& bytes() const { return bytes_; }
  std::string Text() const;

  bool operator==(const Address&) const = default;

 private:
  std::array<std::uint8_t, 16> bytes_{};
  bool v6_ = false;
};

// A CIDR range: "10.77.0.0/24".
struct AddressRange {
  Address base;
  unsigned bits = 0;
  bool operator==(const AddressRange&) const = default;
};

Result<AddressRange> ParseAddressRange(std::string_view text);
Result<std::vector<AddressRange>> ParseAddressRanges(const std::vector<std::string>& texts);
bool IsIn(const Address& address, const AddressRange& range);

// The reason why an address is not public, such as "loopback"; nullopt if it is public.
std::optional<std::string_view> WhyNotPublic(const Address& address);

}  // namespace belljar::request
