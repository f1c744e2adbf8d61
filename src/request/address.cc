#include "request/address.h"

#include <arpa/inet.h>
#include <netinet/in.h>

#include <algorithm>
#include <charconv>
#include <cstring>
#include <span>

#include "foundation/base/quote.h"

namespace belljar::request {
namespace {

struct Reserved {
  std::string_view range;
  std::string_view kind;
};

constexpr Reserved kReservedV4[] = {
    {"0.0.0.0/8", "unspecified"},
    {"10.0.0.0/8", "private"},
    {"100.64.0.0/10", "shared (carrier-grade NAT)"},
    {"127.0.0.0/8", "loopback"},
    {"168.63.129.16/32", "metadata"},
    {"169.254.169.254/32", "metadata"},
    {"169.254.0.0/16", "link-local"},
    {"172.16.0.0/12", "private"},
    {"192.0.0.0/24", "protocol"},
    {"192.0.2.0/24", "documentation"},
    {"192.31.196.0/24", "protocol"},
    {"192.52.193.0/24", "protocol"},
    {"192.88.99.0/24", "6to4 relay"},
    {"192.168.0.0/16", "private"},
    {"192.175.48.0/24", "protocol"},
    {"198.18.0.0/15", "benchmarking"},
    {"198.51.100.0/24", "documentation"},
    {"203.0.113.0/24", "documentation"},
    {"224.0.0.0/4", "multicast"},
    {"240.0.0.0/4", "reserved"},
};

// Everything outside 2000::/3 is refused; inside it, these ranges are.
constexpr Reserved kReservedV6[] = {
    {"::1/128", "loopback"},
    {"::/128", "unspecified"},
    {"::ffff:0:0/96", "IPv4-mapped"},
    {"::ffff:0:0:0/96", "IPv4-translated"},
    {"::/96", "IPv4-compatible"},
    {"64:ff9b::/96", "NAT64"},
    {"64:ff9b:1::/48", "NAT64"},
    {"100::/64", "discard-only"},
    {"fd00:ec2::254/128", "metadata"},
    {"fc00::/7", "private"},
    {"fe80::/10", "link-local"},
    {"fec0::/10", "site-local"},
    {"ff00::/8", "multicast"},
    {"2001::/23", "protocol"},
    {"2001:db8::/32", "documentation"},
    {"2002::/16", "6to4"},
    {"3fff::/20", "documentation"},
    {"5f00::/16", "segment routing"},
};

struct KnownRange {
  AddressRange range;
  std::string_view kind;
};

std::vector<KnownRange> Parsed(std::span<const Reserved> table) {
  std::vector<KnownRange> parsed;
  for (const Reserved& row : table) parsed.push_back({*ParseAddressRange(row.range), row.kind});
  return parsed;
}

}  // namespace

std::optional<Address> Address::Parse(std::string_view text) {
  const std::string copy(text);
  if (copy.size() != std::strlen(copy.c_str())) return std::nullopt;
  Address address;
  if (::inet_pton(AF_INET, copy.c_str(), address.bytes_.data()) == 1) return address;
  address.v6_ = true;
  if (::inet_pton(AF_INET6, copy.c_str(), address.bytes_.data()) == 1) return address;
  return std::nullopt;
}

std::optional<Address> Address::From(const sockaddr* given) {
  Address address;
  if (given->sa_family == AF_INET) {
    const auto* v4 = reinterpret_cast<const sockaddr_in*>(given);
    std::memcpy(address.bytes_.data(), &v4->sin_addr, 4);
    return address;
  }
  if (given->sa_family != AF_INET6) return std::nullopt;
  const auto* v6 = reinterpret_cast<const sockaddr_in6*>(given);
  std::memcpy(address.bytes_.data(), &v6->sin6_addr, 16);
  address.v6_ = true;
  return address;
}

std::string Address::Text() const {
  std::array<char, INET6_ADDRSTRLEN> text{};
  ::inet_ntop(v6_ ? AF_INET6 : AF_INET, bytes_.data(), text.data(), text.size());
  return text.data();
}

Result<AddressRange> ParseAddressRange(std::string_view text) {
  const std::size_t slash = text.find('/');
  const auto base = Address::Parse(text.substr(0, slash));
  if (!base) return Invalid("{} is no range of addresses such as 10.77.0.0/24", Quote(text));
  AddressRange range{*base, base->is_v6() ? 128U : 32U};
  if (slash == std::string_view::npos) return range;
  const std::string_view bits = text.substr(slash + 1);
  const unsigned most = range.bits;
  const auto [end, error] = std::from_chars(bits.data(), bits.data() + bits.size(), range.bits);
  if (error != std::errc() || end != bits.data() + bits.size() || range.bits > most) {
    return Invalid("{} has no number of bits from 0 to {} behind its slash", Quote(text), most);
  }
  return range;
}

Result<std::vector<AddressRange>> ParseAddressRanges(const std::vector<std::string>& texts) {
  std::vector<AddressRange> ranges;
  for (const std::string& text : texts) ranges.push_back(BJ_TRY(ParseAddressRange(text)));
  return ranges;
}

bool IsIn(const Address& address, const AddressRange& range) {
  if (address.is_v6() != range.base.is_v6()) return false;
  for (unsigned bit = 0; bit < range.bits; bit += 8) {
    const unsigned left = range.bits - bit;
    const auto mask = static_cast<std::uint8_t>(left >= 8 ? 0xFF : 0xFF << (8 - left));
    const std::size_t at = bit / 8;
    if (((address.bytes()[at] ^ range.base.bytes()[at]) & mask) != 0) return false;
  }
  return true;
}

std::optional<std::string_view> WhyNotPublic(const Address& address) {
  static const std::vector<KnownRange> kV4 = Parsed(kReservedV4);
  static const std::vector<KnownRange> kV6 = Parsed(kReservedV6);
  for (const KnownRange& row : address.is_v6() ? kV6 : kV4) {
    if (IsIn(address, row.range)) return row.kind;
  }
  if (address.is_v6() && (address.bytes()[0] & 0xE0) != 0x20) return "reserved";
  return std::nullopt;
}

}  // namespace belljar::request
