#include "foundation/schema/value.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "foundation/base/safe_text.h"
#include "foundation/base/text.h"

namespace belljar::schema {
namespace {

constexpr std::size_t kMostShown = 64;

std::string WholeText(long double number) {
  if (number < 0) return fmt::format("{}", static_cast<std::int64_t>(number));
  return fmt::format("{}", static_cast<std::uint64_t>(number));
}

std::string NumberText(const json::value& value) {
  constexpr auto kLeast = static_cast<long double>(std::numeric_limits<std::int64_t>::min());
  constexpr auto kMost = static_cast<long double>(std::numeric_limits<std::uint64_t>::max());
  const long double number = NumberOf(value);
  if (number >= kLeast && number <= kMost && std::trunc(number) == number) return WholeText(number);
  return fmt::format("{:.17g}", value.get_double());
}

void AddText(const json::value& value, std::string& text) {
  if (value.is_number()) {
    text += NumberText(value);
  } else if (value.is_array()) {
    text += '[';
    for (const json::value& item : value.get_array()) {
      AddText(item, text);
      text += ',';
    }
    text += ']';
  } else if (value.is_object()) {
    std::vector<std::pair<std::string_view, const json::value*>> members;
    for (const auto& [name, member] : value.get_object()) members.emplace_back(name, &member);
    std::ranges::sort(members, {}, [](const auto& member) { return member.first; });
    text += '{';
    for (const auto& [name, member] : members) {
      text += json::serialize(json::string(name)) + ':';
      AddText(*member, text);
      text += ',';
    }
    text += '}';
  } else {
    text += json::serialize(value);
  }
}

// Cuts the text to a line's length, at a character boundary.
std::string Cut(std::string text) {
  if (text.size() <= kMostShown) return text;
  text.resize(kMostShown);
  const std::size_t bad = FindInvalidUtf8(text);
  if (bad != std::string_view::npos) text.resize(bad);
  return text + "...";
}

bool IsPlainName(std::string_view name) {
  const auto is_letter = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
  };
  return !name.empty() && name.size() <= kMostShown && is_letter(name[0]) &&
         std::ranges::all_of(name, [&](char c) { return is_letter(c) || (c >= '0' && c <= '9'); });
}

}  // namespace

std::string_view TypeOf(const json::value& value) {
  switch (value.kind()) {
    case json::kind::null:
      return "null";
    case json::kind::bool_:
      return "a boolean";
    case json::kind::int64:
    case json::kind::uint64:
    case json::kind::double_:
      return "a number";
    case json::kind::string:
      return "a string";
    case json::kind::array:
      return "an array";
    case json::kind::object:
      return "an object";
  }
  return "something else";
}

bool IsWhole(const json::value& value) {
  if (value.is_int64() || value.is_uint64()) return true;
  return value.is_double() && std::isfinite(value.get_double()) &&
         std::trunc(value.get_double()) == value.get_double();
}

long double NumberOf(const json::value& value) {
  if (value.is_int64()) return static_cast<long double>(value.get_int64());
  if (value.is_uint64()) return static_cast<long double>(value.get_uint64());
  return static_cast<long double>(value.get_double());
}

std::string CanonicalText(const json::value& value) {
  std::string text;
  AddText(value, text);
  return text;
}

std::string OneLine(std::string_view text) {
  // JSON escapes newlines and quotes; MakeVisible escapes the non-ASCII characters that a terminal
  // acts on.
  const std::string escaped = json::serialize(json::string(ToValidUtf8(text).text));
  return MakeVisible(std::string_view(escaped).substr(1, escaped.size() - 2));
}

std::string Shown(std::string_view name) {
  return fmt::format("\"{}\"", OneLine(Cut(std::string(name.substr(0, 2 * kMostShown)))));
}

std::string ShownValue(const json::value& value) {
  if (value.is_string()) return Shown(value.get_string());
  if (value.is_number()) return NumberText(value);
  return MakeVisible(Cut(json::serialize(value)));
}

std::string PathTo(const Place& place) {
  std::vector<const Place*> way;
  for (const Place* at = &place; at->above != nullptr; at = at->above) way.push_back(at);
  std::string path;
  for (auto at = way.rbegin(); at != way.rend(); ++at) {
    if ((*at)->is_item) {
      path += fmt::format("[{}]", (*at)->item);
    } else if (IsPlainName((*at)->member)) {
      path += fmt::format(".{}", (*at)->member);
    } else {
      path += fmt::format("[{}]", Shown((*at)->member));
    }
  }
  return path;
}

}  // namespace belljar::schema
