#include "foundation/base/json_scan.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstdlib>

#include "foundation/base/json.h"

namespace belljar {
namespace {

constexpr std::string_view kBetween = " \t\r\n,:";

// The offset just after the closing quotation mark of the string that begins at `at`.
std::size_t EndOfText(std::string_view text, std::size_t at) {
  for (++at; at < text.size() && text[at] != '"'; ++at) {
    if (text[at] == '\\') ++at;
  }
  return std::min(at + 1, text.size());
}

bool IsName(std::string_view text, std::size_t behind) {
  const std::size_t next = text.find_first_not_of(" \t\r\n", behind);
  return text[behind - 1] == '"' && next != std::string_view::npos && text[next] == ':';
}

template <class Whole>
bool Fits(std::string_view digits) {
  Whole whole{};
  return std::from_chars(digits.data(), digits.data() + digits.size(), whole).ec == std::errc();
}

bool IsHeld(std::string_view number) {
  if (number.find_first_of(".eE") != std::string_view::npos) {
    return std::isfinite(std::strtod(std::string(number).c_str(), nullptr));
  }
  return number.front() == '-' ? Fits<std::int64_t>(number) : Fits<std::uint64_t>(number);
}

std::string PlaceOf(const std::vector<std::string_view>& names) {
  std::string place;
  for (const std::string_view name : names) {
    if (name.empty()) continue;
    if (!place.empty()) place += '.';
    place += name;
  }
  return place;
}

}  // namespace

void EachScalar(std::string_view text, const OnScalar& on_scalar) {
  std::vector<std::string_view> names;
  for (std::size_t at = 0; at < text.size();) {
    const char c = text[at];
    if (c == '{' || c == '[') {
      if (names.size() >= kMaxJsonDepth) return;
      names.emplace_back();
      ++at;
    } else if (c == '}' || c == ']') {
      if (names.empty()) return;
      names.pop_back();
      ++at;
    } else if (kBetween.find(c) != std::string_view::npos) {
      ++at;
    } else {
      const std::size_t end =
          c == '"' ? EndOfText(text, at)
                   : std::min(text.find_first_of(" \t\r\n,:{}[]\"", at), text.size());
      const std::string_view written = text.substr(at, end - at);
      at = end;
      if (c == '"' && !names.empty() && IsName(text, end)) {
        names.back() = written.substr(1, written.size() - 2);
      } else if (!on_scalar(names, written)) {
        return;
      }
    }
  }
}

std::optional<std::string> PlaceOfUnheldNumber(std::string_view text) {
  std::optional<std::string> place;
  EachScalar(text, [&](const std::vector<std::string_view>& names, std::string_view written) {
    const char first = written.front();
    const bool number = first == '-' || (first >= '0' && first <= '9');
    if (number && !IsHeld(written)) place = PlaceOf(names);
    return !place;
  });
  return place;
}

}  // namespace belljar
