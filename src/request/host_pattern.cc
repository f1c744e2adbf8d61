#include "request/host_pattern.h"

#include <algorithm>
#include <charconv>

#include "foundation/base/quote.h"
#include "request/address.h"

namespace belljar::request {
namespace {

constexpr std::size_t kMaxLabelBytes = 63;

bool IsNameChar(char c) {
  return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '_';
}

std::string Lower(std::string_view text) {
  std::string lower(text);
  for (char& c : lower) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return lower;
}

std::string_view LastLabel(std::string_view name) { return name.substr(name.rfind('.') + 1); }

// Whether the last label is a number, such as "1", "0x7f" or "127": some resolvers parse such a
// name as an IPv4 address. No public name ends in a number.
bool EndsInNumber(std::string_view name) {
  const std::string_view last = LastLabel(name);
  const bool digits = last.find_first_not_of("0123456789") == std::string_view::npos;
  return digits || last.starts_with("0x");
}

bool IsName(std::string_view name) {
  if (name.empty() || name.size() > kMaxHostBytes || EndsInNumber(name)) return false;
  while (true) {
    const std::string_view label = name.substr(0, name.find('.'));
    if (label.empty() || label.size() > kMaxLabelBytes || label.front() == '-' ||
        label.back() == '-' || !std::ranges::all_of(label, IsNameChar)) {
      return false;
    }
    if (label.size() == name.size()) return true;
    name.remove_prefix(label.size() + 1);
  }
}

std::optional<std::uint16_t> PortOf(std::string_view text) {
  std::uint16_t port = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), port);
  const bool whole = error == std::errc() && end == text.data() + text.size();
  if (!whole || port == 0 || text.front() == '0') return std::nullopt;
  return port;
}

// Error messages for frequent mistakes in host names, each with the correct form.
Result<> RefuseUsualMistakes(std::string_view text) {
  if (text.find('/') != std::string_view::npos) {
    return Invalid(
        "{} is more than a host: leave out the scheme and the path, as in api.example.com",
        Quote(text));
  }
  const auto beyond_ascii = [](char c) { return static_cast<unsigned char>(c) >= 0x80; };
  if (std::ranges::any_of(text, beyond_ascii)) {
    return Invalid("{} has letters beyond ASCII: write the name in its xn-- form", Quote(text));
  }
  const auto address = Address::Parse(text);
  if (address && address->is_v6()) {
    return Invalid("{} is an IPv6 address without brackets: write [{}]", Quote(text), text);
  }
  return {};
}

// Splits off the port, stores it in the pattern, and returns the rest.
Result<std::string_view> TakePort(std::string_view text, HostPattern& pattern) {
  const std::size_t bracket = text.rfind(']');
  const std::size_t colon = text.rfind(':');
  if (colon == std::string_view::npos) return text;
  if (bracket != std::string_view::npos && colon < bracket) return text;
  pattern.port = PortOf(text.substr(colon + 1));
  if (!pattern.port) return Invalid("{} has no port from 1 to 65535 behind its colon", Quote(text));
  return text.substr(0, colon);
}

}  // namespace

Result<std::string> CanonicalHost(std::string_view text) {
  const bool bracketed = text.size() > 2 && text.front() == '[' && text.back() == ']';
  const auto address = Address::Parse(bracketed ? text.substr(1, text.size() - 2) : text);
  if (address && bracketed == address->is_v6()) return address->Text();
  std::string name = Lower(text);
  if (name.ends_with('.')) name.pop_back();
  if (!bracketed && IsName(name)) return name;
  return Invalid("{} is neither a host's name nor an address as addresses are printed",
                 Quote(text));
}

Result<HostPattern> ParseHostPattern(std::string_view text) {
  BJ_TRY(RefuseUsualMistakes(text));
  HostPattern pattern;
  std::string_view host = BJ_TRY(TakePort(text, pattern));
  if (host.starts_with("*.")) {
    pattern.match = HostPattern::Match::kBelow;
    host.remove_prefix(2);
  }
  if (host.find('*') != std::string_view::npos) {
    return Invalid("{}: a star stands for the first labels of a name, as in *.example.com",
                   Quote(text));
  }
  pattern.name = BJ_TRY(CanonicalHost(host));
  const bool is_address = Address::Parse(pattern.name).has_value();
  const bool too_wide = is_address || pattern.name.find('.') == std::string::npos;
  if (pattern.match == HostPattern::Match::kBelow && too_wide) {
    return Invalid("{} is too wide: a star needs a name of two labels behind it", Quote(text));
  }
  return pattern;
}

Result<std::vector<HostPattern>> ParseHostPatterns(const std::vector<std::string>& texts) {
  if (texts.size() > kMaxHostPatterns) return Invalid("more than {} hosts", kMaxHostPatterns);
  std::vector<HostPattern> patterns;
  for (const std::string& text : texts) patterns.push_back(BJ_TRY(ParseHostPattern(text)));
  return patterns;
}

bool Matches(const HostPattern& pattern, std::string_view host, std::uint16_t port) {
  if (pattern.port ? port != *pattern.port : port != 80 && port != 443) return false;
  if (pattern.match == HostPattern::Match::kExact) return host == pattern.name;
  return host.size() > pattern.name.size() + 1 && host.ends_with(pattern.name) &&
         host[host.size() - pattern.name.size() - 1] == '.';
}

bool MatchesAny(const std::vector<HostPattern>& patterns, std::string_view host,
                std::uint16_t port) {
  return std::ranges::any_of(
      patterns, [&](const HostPattern& pattern) { return Matches(pattern, host, port); });
}

namespace {

bool PortsWithin(const HostPattern& narrow, const HostPattern& wide) {
  return narrow.port == wide.port ||
         (!wide.port && narrow.port && (*narrow.port == 80 || *narrow.port == 443));
}

bool NamesWithin(const HostPattern& narrow, const HostPattern& wide) {
  if (narrow.match == wide.match && narrow.name == wide.name) return true;
  // "*.a.example.com" is within "*.example.com", and so is "a.example.com".
  return wide.match == HostPattern::Match::kBelow && narrow.name.size() > wide.name.size() &&
         narrow.name.ends_with("." + wide.name);
}

}  // namespace

bool IsWithin(const HostPattern& narrow, const HostPattern& wide) {
  return PortsWithin(narrow, wide) && NamesWithin(narrow, wide);
}

std::optional<HostPattern> Intersect(const HostPattern& one, const HostPattern& other) {
  HostPattern both;
  if (NamesWithin(one, other)) {
    both = one;
  } else if (NamesWithin(other, one)) {
    both = other;
  } else {
    return std::nullopt;
  }
  if (PortsWithin(one, other)) {
    both.port = one.port;
  } else if (PortsWithin(other, one)) {
    both.port = other.port;
  } else {
    return std::nullopt;
  }
  return both;
}

std::vector<HostPattern> IntersectAll(const std::vector<HostPattern>& some,
                                      const std::vector<HostPattern>& others) {
  std::vector<HostPattern> all;
  for (const HostPattern& one : some) {
    for (const HostPattern& other : others) {
      const auto both = Intersect(one, other);
      if (both && std::ranges::find(all, *both) == all.end()) all.push_back(*both);
    }
  }
  return all;
}

Result<> ValidateHosts(const std::vector<std::string>& hosts) {
  BJ_TRY(ParseHostPatterns(hosts).While("\"allow_hosts\""));
  return {};
}

}  // namespace belljar::request
