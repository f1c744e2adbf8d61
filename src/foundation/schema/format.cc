#include "foundation/schema/format.h"

#include <arpa/inet.h>

#include <algorithm>
#include <array>
#include <boost/url/parse.hpp>
#include <optional>
#include <string>

namespace belljar::schema {
namespace {

constexpr std::size_t kMaxHostBytes = 253;
constexpr std::size_t kMaxLabelBytes = 63;

bool IsDigit(char c) { return c >= '0' && c <= '9'; }
bool IsLetter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
bool IsHex(char c) { return IsDigit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F'); }

// Parses `count` digits at the front of `text` and removes them.
std::optional<int> TakeDigits(std::string_view& text, std::size_t count) {
  if (text.size() < count || !std::all_of(text.begin(), text.begin() + count, IsDigit)) {
    return std::nullopt;
  }
  int number = 0;
  for (const char c : text.substr(0, count)) number = number * 10 + (c - '0');
  text.remove_prefix(count);
  return number;
}

bool Take(std::string_view& text, std::string_view any_of) {
  if (text.empty() || any_of.find(text[0]) == std::string_view::npos) return false;
  text.remove_prefix(1);
  return true;
}

int DaysIn(int month, int year) {
  constexpr std::array kDays = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
  const bool leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
  return month == 2 && leap ? 29 : kDays[static_cast<std::size_t>(month - 1)];
}

bool TakeDate(std::string_view& text) {
  const auto year = TakeDigits(text, 4);
  if (!year || !Take(text, "-")) return false;
  const auto month = TakeDigits(text, 2);
  if (!month || *month < 1 || *month > 12 || !Take(text, "-")) return false;
  const auto day = TakeDigits(text, 2);
  return day && *day >= 1 && *day <= DaysIn(*month, *year);
}

// Parses a UTC offset ("Z", "+02:00") and returns it in minutes east of UTC.
std::optional<int> TakeOffset(std::string_view& text) {
  if (Take(text, "Zz")) return 0;
  const int sign = text.starts_with('-') ? -1 : 1;
  if (!Take(text, "+-")) return std::nullopt;
  const auto hours = TakeDigits(text, 2);
  if (!hours || *hours > 23 || !Take(text, ":")) return std::nullopt;
  const auto minutes = TakeDigits(text, 2);
  if (!minutes || *minutes > 59) return std::nullopt;
  return sign * (*hours * 60 + *minutes);
}

bool TakeTime(std::string_view& text) {
  const auto hours = TakeDigits(text, 2);
  if (!hours || *hours > 23 || !Take(text, ":")) return false;
  const auto minutes = TakeDigits(text, 2);
  if (!minutes || *minutes > 59 || !Take(text, ":")) return false;
  const auto seconds = TakeDigits(text, 2);
  if (!seconds || *seconds > 60) return false;
  if (Take(text, ".")) {
    if (!TakeDigits(text, 1)) return false;
    while (TakeDigits(text, 1)) continue;
  }
  const auto offset = TakeOffset(text);
  if (!offset) return false;
  // A second of 60 is allowed only for a leap second, which is inserted at midnight UTC.
  constexpr int kDay = 24 * 60;
  const int there = (*hours * 60 + *minutes - *offset + 2 * kDay) % kDay;
  return *seconds < 60 || there == kDay - 1;
}

bool IsDate(std::string_view text) { return TakeDate(text) && text.empty(); }
bool IsTime(std::string_view text) { return TakeTime(text) && text.empty(); }
bool IsDateTime(std::string_view text) {
  return TakeDate(text) && Take(text, "Tt") && TakeTime(text) && text.empty();
}

bool IsAddress(int family, std::string_view text) {
  std::array<unsigned char, 16> address;
  const std::string copy(text);
  return copy.find('\0') == std::string::npos &&
         ::inet_pton(family, copy.c_str(), address.data()) == 1;
}
bool IsIpv4(std::string_view text) { return text.size() <= 15 && IsAddress(AF_INET, text); }
bool IsIpv6(std::string_view text) { return text.size() <= 45 && IsAddress(AF_INET6, text); }

bool IsLabel(std::string_view label) {
  return !label.empty() && label.size() <= kMaxLabelBytes && label.front() != '-' &&
         label.back() != '-' &&
         std::ranges::all_of(label, [](char c) { return IsLetter(c) || IsDigit(c) || c == '-'; });
}

bool IsHostname(std::string_view text) {
  if (text.empty() || text.size() > kMaxHostBytes) return false;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find('.', begin), text.size());
    if (!IsLabel(text.substr(begin, end - begin))) return false;
    begin = end + 1;
  }
  return true;
}

// Whether `local` is valid as the part of a mail address before the @. Quoted parts and comments
// are not supported; real addresses do not use them.
bool IsMailbox(std::string_view local) {
  constexpr std::string_view kAlso = "!#$%&'*+-/=?^_`{|}~.";
  const bool dots =
      local.starts_with('.') || local.ends_with('.') || local.find("..") != std::string_view::npos;
  return !local.empty() && local.size() <= 64 && !dots && std::ranges::all_of(local, [&](char c) {
    return IsLetter(c) || IsDigit(c) || kAlso.find(c) != std::string_view::npos;
  });
}

bool IsEmail(std::string_view text) {
  const std::size_t at = text.rfind('@');
  if (at == std::string_view::npos || text.size() > 254) return false;
  return IsMailbox(text.substr(0, at)) && IsHostname(text.substr(at + 1));
}

bool IsUri(std::string_view text) {
  constexpr std::size_t kMaxUriBytes = 64 << 10;
  return text.size() <= kMaxUriBytes &&
         boost::urls::parse_uri({text.data(), text.size()}).has_value();
}

bool IsUuid(std::string_view text) {
  if (text.size() != 36) return false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool dash = i == 8 || i == 13 || i == 18 || i == 23;
    if (dash ? text[i] != '-' : !IsHex(text[i])) return false;
  }
  return true;
}

constexpr std::array kFormats = {
    Format{"date", "a date such as 2024-02-29", IsDate},
    Format{"date-time", "a date and time such as 2024-02-29T12:30:00Z", IsDateTime},
    Format{"email", "an email address", IsEmail},
    Format{"hostname", "the name of a host", IsHostname},
    Format{"ipv4", "an IPv4 address", IsIpv4},
    Format{"ipv6", "an IPv6 address", IsIpv6},
    Format{"time", "a time such as 12:30:00Z", IsTime},
    Format{"uri", "a URI with its scheme", IsUri},
    Format{"uuid", "a UUID", IsUuid},
};

}  // namespace

std::span<const Format> Formats() { return kFormats; }

const Format* FindFormat(std::string_view name) {
  const auto* const found = std::ranges::find(kFormats, name, &Format::name);
  return found == kFormats.end() ? nullptr : &*found;
}

}  // namespace belljar::schema
