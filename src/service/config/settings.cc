#include "service/config/settings.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>

#include "foundation/base/nearest.h"
#include "foundation/base/sys.h"

// Header-only, because the packaged library is built with exceptions.
#define TOML_EXCEPTIONS 0
#define TOML_HEADER_ONLY 1
#include <toml++/toml.h>

namespace belljar::service::config {
namespace {

constexpr std::size_t kMaxFileBytes = 1 << 20;
constexpr std::size_t kLongestGuess = 64;

const Key* FindKey(std::string_view name) {
  const auto keys = Keys();
  const auto found = std::ranges::find(keys, name, &Key::name);
  return found == keys.end() ? nullptr : &*found;
}

Error UnknownKey(std::string_view name) {
  std::string_view nearest;
  std::size_t least = name.size() / 2 + 1;
  for (const Key& key : Keys()) {
    const std::size_t distance = name.size() > kLongestGuess ? least : EditDistance(name, key.name);
    if (distance < least) {
      least = distance;
      nearest = key.name;
    }
  }
  const std::string shown = log::Quoted(name, kLongestGuess);
  if (nearest.empty()) return Error(Kind::kInvalid, fmt::format("unknown key {}", shown));
  return Error(Kind::kInvalid, fmt::format("unknown key {}; did you mean \"{}\"?", shown, nearest));
}

std::optional<std::string> ScalarText(const toml::node& node) {
  if (const auto* text = node.as_string()) return text->get();
  if (const auto* number = node.as_integer()) return fmt::format("{}", number->get());
  if (const auto* number = node.as_floating_point()) return fmt::format("{}", number->get());
  if (const auto* flag = node.as_boolean()) return flag->get() ? "true" : "false";
  return std::nullopt;
}

std::optional<Given> ReadNode(const toml::node& node) {
  if (auto text = ScalarText(node)) return Given{{*std::move(text)}, false};
  const auto* const array = node.as_array();
  if (array == nullptr) return std::nullopt;
  Given given{{}, true};
  for (const toml::node& element : *array) {
    auto text = ScalarText(element);
    if (!text) return std::nullopt;
    given.texts.push_back(*std::move(text));
  }
  return given;
}

Result<> Flatten(const toml::table& table, const std::string& prefix, const std::string& file,
                 GivenByKey& all) {
  for (const auto& [key, node] : table) {
    const std::string name = prefix + std::string(key.str());
    const std::string place = fmt::format("{}:{}", file, key.source().begin.line);
    const auto* const below = node.as_table();
    if (below != nullptr && prefix.empty()) {
      BJ_TRY(Flatten(*below, name + ".", file, all));
      continue;
    }
    if (FindKey(name) == nullptr) return UnknownKey(name).While(place);
    auto given = ReadNode(node);
    if (!given) {
      return Error(
          Kind::kInvalid,
          fmt::format("{}: \"{}\" takes a text, a number or a list of texts", place, name));
    }
    all.emplace(name, *std::move(given));
  }
  return {};
}

Result<> Apply(const GivenByKey& given, std::string_view where, Settings& settings) {
  for (const auto& [name, value] : given) {
    const Key* const key = FindKey(name);
    if (key == nullptr) return UnknownKey(name);
    if (value.is_list != (key->takes == Takes::kTexts)) {
      return Error(Kind::kInvalid, fmt::format("{}\"{}\" takes {}", where, name,
                                               value.is_list ? "one value" : "a list of texts"));
    }
    BJ_TRY(key->set(settings, value).While(fmt::format("{}\"{}\"", where, name)));
  }
  return {};
}

bool IsBare(Takes takes) {
  return takes == Takes::kCount || takes == Takes::kCpus || takes == Takes::kFlag;
}

}  // namespace

Result<GivenByKey> ParseToml(std::string_view text, const std::string& name) {
  const toml::parse_result parsed = toml::parse(text, name);
  if (!parsed) {
    return Error(Kind::kInvalid, fmt::format("{}:{}: {}", name, parsed.error().source().begin.line,
                                             parsed.error().description()));
  }
  GivenByKey all;
  BJ_TRY(Flatten(parsed.table(), "", name, all));
  return all;
}

Result<GivenByKey> ReadTomlFile(const std::string& path) {
  return ParseToml(BJ_TRY(ReadFile(path, kMaxFileBytes)), path);
}

Result<Settings> Combine(const GivenByKey& file, const GivenByKey& flags) {
  Settings settings;
  BJ_TRY(Apply(file, "", settings));
  BJ_TRY(Apply(flags, "", settings));
  return settings;
}

std::vector<std::string> FixedDifferences(const Settings& running, const Settings& wanted) {
  std::vector<std::string> names;
  for (const Key& key : Keys()) {
    if (key.changes == Changes::kAtStart && key.get(running).texts != key.get(wanted).texts) {
      names.push_back(key.name);
    }
  }
  return names;
}

std::string Show(const Settings& settings) {
  std::string out;
  for (const Key& key : Keys()) {
    const Given given = key.get(settings);
    std::vector<std::string> shown;
    for (const std::string& text : given.texts) {
      shown.push_back(IsBare(key.takes) ? text : log::Quoted(text, kMaxFileBytes));
    }
    const std::string joined = fmt::format("{}", fmt::join(shown, ", "));
    out += fmt::format("{} = {}\n", key.name, given.is_list ? "[" + joined + "]" : joined);
  }
  return out;
}

std::string DefaultFile() {
  const auto variable = [](const char* name) {
    const char* const value = std::getenv(name);
    return std::string(value == nullptr ? "" : value);
  };
  if (auto file = variable("BELLJAR_CONFIG"); !file.empty()) return file;
  if (::geteuid() == 0) return "/etc/belljar/belljar.toml";
  if (const auto dir = variable("XDG_CONFIG_HOME"); !dir.empty()) {
    return dir + "/belljar/belljar.toml";
  }
  const auto home = variable("HOME");
  return home.empty() ? "" : home + "/.config/belljar/belljar.toml";
}

}  // namespace belljar::service::config
