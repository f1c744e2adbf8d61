// Address: an IP address as a value, and whether one may be connected to from inside a cell.
//
// Only what the whole internet can reach may be: everything that IANA's registries set aside (our
// own machine and network, metadata services, multicast, documentation, and the IPv6 forms that
// carry an IPv4 address) is refused, by the bytes of the address and not by how it was spelled.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

struct sockaddr;

namespace belljar::policy {

class Address {
 public:
  // As addresses are printed: "192.0.2.7", "2001:db8::7". No other spelling, no scope.
  static std::optional<Address> Parse(std::string_view text);
  static std::optional<Address> From(const sockaddr* address);

  bool is_v6() const { return v6_; }
  // The first 4, or all 16.
  const std::array<std::uint8_t, 16>& bytes() const { return bytes_; }
  std::string Text() const;

  bool operator==(const Address&) const = default;

 private:
  std::array<std::uint8_t, 16> bytes_{};
  bool v6_ = false;
};

// The addresses that share their first bits with another: "10.77.0.0/24".
struct AddressRange {
  Address base;
  unsigned bits = 0;
  bool operator==(const AddressRange&) const = default;
};

Result<AddressRange> ParseAddressRange(std::string_view text);
Result<std::vector<AddressRange>> ParseAddressRanges(const std::vector<std::string>& texts);
bool IsIn(const Address& address, const AddressRange& range);

// What kind of address it is, if it is one that may not be connected to: "loopback".
std::optional<std::string_view> WhyNotPublic(const Address& address);

}  // namespace belljar::policy
