#include "resource/skill/folder.h"

#include <fcntl.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "foundation/base/quote.h"
#include "foundation/base/sys.h"
#include "request/request.h"

// Header-only, because the packaged library is built with exceptions.
#define TOML_EXCEPTIONS 0
#define TOML_HEADER_ONLY 1
#include <toml++/toml.h>

namespace belljar::resource::skill {
namespace {

constexpr std::array<std::string_view, 6> kPlainKeys = {"name",  "description", "lang",
                                                        "level", "image",       "threshold"};

// Converts a TOML value to JSON. TOML's dates and times have no JSON form and are refused.
Result<json::value> JsonOf(const toml::node& node, int depth) {
  constexpr int kDeepest = 48;
  if (depth > kDeepest) return Invalid("nests deeper than {} levels", kDeepest);
  if (const auto* text = node.as_string()) return json::value(text->get());
  if (const auto* number = node.as_integer()) return json::value(number->get());
  if (const auto* number = node.as_floating_point()) return json::value(number->get());
  if (const auto* flag = node.as_boolean()) return json::value(flag->get());
  if (const auto* array = node.as_array()) {
    json::array items;
    for (const toml::node& item : *array) items.push_back(BJ_TRY(JsonOf(item, depth + 1)));
    return json::value(std::move(items));
  }
  if (const auto* table = node.as_table()) {
    json::object members;
    for (const auto& [key, item] : *table) {
      json::value member = BJ_TRY(JsonOf(item, depth + 1));
      members[key.str()] = std::move(member);
    }
    return json::value(std::move(members));
  }
  return Invalid("takes no time or date");
}

Result<std::string> ReadBeneath(const Fd& dir, const std::string& name, std::size_t most) {
  const Fd file = BJ_TRY(OpenBeneath(dir, name, O_RDONLY | O_NONBLOCK));
  return ReadAll(file, most, name);
}

// A schema is an inline table, or the name of a file that contains it.
Result<json::value> SchemaOf(const toml::node& node, const Fd& dir) {
  const auto* const name = node.as_string();
  if (name == nullptr) return JsonOf(node, 0);
  const std::string text = BJ_TRY(ReadBeneath(dir, name->get(), kMaxSkillTomlBytes));
  return ParseJson(text).While(name->get());
}

Result<> ReadCode(const toml::node& node, const Fd& dir, SkillFolder& folder) {
  const auto* const name = node.as_string();
  if (name == nullptr) return Invalid("takes the name of the file with the code");
  folder.code_file = name->get();
  const std::string code = BJ_TRY(ReadBeneath(dir, folder.code_file, request::kMaxCodeBytes));
  folder.definition["code"] = code;
  return {};
}

// A definition holds limits as top-level keys; in a file they have a table of their own for
// legibility.
Result<> ReadLimits(const toml::node& node, SkillFolder& folder) {
  const json::value limits = BJ_TRY(JsonOf(node, 0));
  if (!limits.is_object()) return Invalid("is a table, [limits]");
  for (const auto& [key, value] : limits.get_object()) {
    const std::string_view name(key.data(), key.size());
    if (name == "code" || folder.definition.contains(name)) {
      return Invalid("{} is no limit", Quote(name));
    }
    folder.definition[name] = value;
  }
  return {};
}

Result<> ReadKey(std::string_view key, const toml::node& node, const Fd& dir, SkillFolder& folder) {
  if (key == "code") return ReadCode(node, dir, folder);
  if (key == "limits") return ReadLimits(node, folder);
  if (key == "input_schema" || key == "output_schema") {
    json::value schema = BJ_TRY(SchemaOf(node, dir));
    folder.definition[key] = std::move(schema);
    return {};
  }
  if (std::ranges::find(kPlainKeys, key) == kPlainKeys.end()) {
    return Invalid(
        "is unknown; known are name, description, lang, level, image, code, threshold, "
        "input_schema, output_schema and [limits]");
  }
  json::value value = BJ_TRY(JsonOf(node, 0));
  folder.definition[key] = std::move(value);
  return {};
}

}  // namespace

Result<SkillFolder> ParseSkillToml(std::string_view text, const Fd& dir) {
  const toml::parse_result parsed = toml::parse(text);
  if (!parsed) {
    const toml::parse_error& error = parsed.error();
    return Invalid("skill.toml: line {}: {}", error.source().begin.line, error.description());
  }
  SkillFolder folder;
  for (const auto& [key, node] : parsed.table()) {
    const auto place =
        fmt::format("skill.toml: line {}: {}", key.source().begin.line, Quote(key.str()));
    BJ_TRY(ReadKey(key.str(), node, dir, folder).While(place));
  }
  if (folder.code_file.empty()) {
    return Invalid("skill.toml: name the file with the code, as in code = \"main.py\"");
  }
  return folder;
}

Result<SkillFolder> ReadSkillFolder(const std::string& path) {
  const Fd dir = BJ_TRY(Open(path, O_RDONLY | O_DIRECTORY));
  const std::string text = BJ_TRY(ReadBeneath(dir, "skill.toml", kMaxSkillTomlBytes).While(path));
  return ParseSkillToml(text, dir).While(path);
}

}  // namespace belljar::resource::skill
