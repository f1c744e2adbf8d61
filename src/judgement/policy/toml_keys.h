// Reading TOML tables as lists of keys with their readers. Include it only in sources that parse
// policies: toml++ is a large header.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <string>
#include <vector>

#include "foundation/base/nearest.h"
#include "foundation/base/quote.h"
#include "request/request.h"

// Header-only, because the packaged library is built with exceptions.
#define TOML_EXCEPTIONS 0
#define TOML_HEADER_ONLY 1
#include <toml++/toml.h>

namespace belljar::judgement::policy {

// One key of a table, and the function that reads it.
struct KeyOf {
  std::string_view name;
  std::function<Result<>(const toml::node&)> read;
};

inline std::string NearestOf(std::string_view wrong, const std::vector<KeyOf>& keys) {
  std::vector<std::string_view> names;
  for (const KeyOf& key : keys) names.push_back(key.name);
  const std::string_view nearest = NearestName(wrong, names);
  return nearest.empty() ? "" : fmt::format("; did you mean \"{}\"?", nearest);
}

inline Result<> ReadTable(const toml::table& table, const std::string& title,
                          const std::vector<KeyOf>& keys) {
  for (const auto& [key, node] : table) {
    const std::string_view name = key.str();
    const auto place =
        fmt::format("line {}{}", key.source().begin.line, title.empty() ? "" : ", [" + title + "]");
    const auto known = std::ranges::find(keys, name, &KeyOf::name);
    if (known == keys.end()) {
      return Invalid("{}: unknown key {}{}", place, Quote(name), NearestOf(name, keys));
    }
    BJ_TRY(known->read(node).While(fmt::format("{}: \"{}\"", place, name)));
  }
  return {};
}

inline Result<std::string> TextOf(const toml::node& node) {
  const auto* text = node.as_string();
  if (text == nullptr) return Invalid("takes a text");
  return text->get();
}

inline Result<bool> FlagOf(const toml::node& node) {
  const auto* flag = node.as_boolean();
  if (flag == nullptr) return Invalid("takes true or false");
  return flag->get();
}

inline Result<std::vector<std::string>> TextsOf(const toml::node& node) {
  const auto* array = node.as_array();
  if (array == nullptr) return Invalid("takes a list of texts");
  std::vector<std::string> texts;
  for (const toml::node& element : *array) texts.push_back(BJ_TRY(TextOf(element)));
  return texts;
}

// Returns a reader that stores the parsed value in `place`.
template <class T>
auto Into(T& place, Result<T> (*read)(const toml::node&)) {
  return [&place, read](const toml::node& node) -> Result<> {
    place = BJ_TRY(read(node));
    return {};
  };
}

template <class T>
auto ParsedInto(T& place, Result<T> (*parse)(std::string_view)) {
  return [&place, parse](const toml::node& node) -> Result<> {
    const std::string text = BJ_TRY(TextOf(node));
    place = BJ_TRY(parse(text));
    return {};
  };
}

// A time or size as text: a string such as "5m", or a number of seconds or bytes, as in requests.
inline Result<std::string> QuantityOf(const toml::node& node) {
  if (const auto* whole = node.as_integer()) return std::to_string(whole->get());
  if (const auto* number = node.as_floating_point()) return fmt::format("{}", number->get());
  if (const auto* text = node.as_string()) return text->get();
  return Invalid("takes a number, or a text such as \"5m\" for a time and \"64M\" for a size");
}

template <class T>
auto QuantityInto(T& place, Result<T> (*parse)(std::string_view)) {
  return [&place, parse](const toml::node& node) -> Result<> {
    const std::string text = BJ_TRY(QuantityOf(node));
    place = BJ_TRY(parse(text));
    return {};
  };
}

// Returns a reader for a whole number from 1 to `most`.
inline auto CountInto(std::uint64_t& place, std::uint64_t most) {
  return [&place, most](const toml::node& node) -> Result<> {
    const auto* number = node.as_integer();
    if (number == nullptr || number->get() < 1 ||
        static_cast<std::uint64_t>(number->get()) > most) {
      return Invalid("takes a whole number from 1 to {}", most);
    }
    place = static_cast<std::uint64_t>(number->get());
    return {};
  };
}

inline auto SizeInto(std::uint64_t& place, std::uint64_t most) {
  return [&place, most](const toml::node& node) -> Result<> {
    const std::string text = BJ_TRY(QuantityOf(node));
    place = BJ_TRY(request::ParseSize(text));
    if (place < 1 || place > most) return Invalid("is at most {} MiB", most >> 20);
    return {};
  };
}

// Returns a reader for a nested table.
inline auto Below(const std::string& title, std::vector<KeyOf> keys) {
  return [title, keys = std::move(keys)](const toml::node& node) -> Result<> {
    const auto* table = node.as_table();
    if (table == nullptr) return Invalid("is a table: [{}]", title);
    return ReadTable(*table, title, keys);
  };
}

}  // namespace belljar::judgement::policy
