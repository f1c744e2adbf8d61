// belljar skill add: stores a file or a folder as a skill.
#include <fmt/format.h>

#include <cstdio>
#include <filesystem>

#include "door/cli/ending.h"
#include "door/cli/skill_client.h"
#include "door/cli/skill_parts.h"
#include "door/cli/source.h"
#include "door/cli/terminal.h"
#include "resource/skill/folder.h"

namespace belljar::door::cli {
namespace {

constexpr int kRefusedStatus = 126;

Result<> NameLang(const Source& source, const std::string& code, json::object& definition) {
  const auto lang = BJ_TRY(NamedLang(source, code));
  if (lang) definition["lang"] = request::LangName(*lang);
  return {};
}

Result<json::object> FromFolder(const SkillArguments& arguments) {
  resource::skill::SkillFolder folder = BJ_TRY(resource::skill::ReadSkillFolder(arguments.file));
  if (folder.definition.contains("lang") && arguments.flags.lang.empty()) {
    return std::move(folder.definition);
  }
  const Source source{folder.code_file, std::nullopt, arguments.flags.lang};
  const json::string& code = folder.definition.at("code").as_string();
  BJ_TRY(NameLang(source, std::string(code.data(), code.size()), folder.definition));
  return std::move(folder.definition);
}

Result<json::object> FromFile(const SkillArguments& arguments) {
  const Source source{arguments.file, std::nullopt, arguments.flags.lang};
  const std::string code = BJ_TRY(ReadCode(source));
  json::object definition = {{"code", code}};
  BJ_TRY(NameLang(source, code, definition));
  if (arguments.file != "-") {
    definition["name"] = std::filesystem::path(arguments.file).stem().string();
  }
  return definition;
}

// JSON number if the text is one (0.5, 30), else a string (30s).
json::value NumberOrText(const std::string& text) {
  auto number = ParseJson(text);
  return number && number->is_number() ? *std::move(number) : json::value(text);
}

// Flags override the values of the file.
Result<> ApplyTyped(const SkillArguments& arguments, json::object& definition) {
  for (const auto& [key, text] : {std::pair{"name", &arguments.name},
                                  {"description", &arguments.description},
                                  {"level", &arguments.flags.level},
                                  {"image", &arguments.image}}) {
    if (!text->empty()) definition[key] = *text;
  }
  if (!arguments.threshold.empty()) definition["threshold"] = NumberOrText(arguments.threshold);
  for (const auto& [key, text] : arguments.flags.limits) {
    if (!text.empty()) definition[key] = NumberOrText(text);
  }
  for (const auto& [key, flag, given] :
       {std::tuple{"input_schema", "--input-schema", &arguments.flags.input_schema},
        std::tuple{"output_schema", "--output-schema", &arguments.flags.output_schema}}) {
    if (given->empty()) continue;
    auto schema = BJ_TRY(ReadJsonFlag(*given).While(flag));
    definition[key] = std::move(schema);
  }
  return {};
}

std::string WordAt(const json::object& object, std::string_view key) {
  const json::value* const value = object.if_contains(key);
  if (value == nullptr) return "";
  return MakeVisible(value->is_string() ? std::string(value->get_string().c_str())
                                        : json::serialize(*value));
}

void TellFindings(const json::object& told) {
  const json::value* const findings = told.if_contains("findings");
  if (findings == nullptr || !findings->is_array()) return;
  for (const json::value& each : findings->get_array()) {
    if (!each.is_object()) continue;
    const json::object& finding = each.get_object();
    fmt::print(stderr, "  line {}: {}: {}: {}\n", WordAt(finding, "line"),
               WordAt(finding, "action"), WordAt(finding, "rule"), WordAt(finding, "message"));
  }
}

bool NeedsReview(const json::object& told) {
  const json::value* const decision = told.if_contains("decision");
  return decision != nullptr && decision->is_object() &&
         WordAt(decision->get_object(), "action") == "review";
}

int TellStored(const json::object& told, bool stored) {
  const json::value* const error = told.if_contains("error");
  if (error != nullptr && error->is_object()) {
    fmt::print(stderr, "belljar: {}\n", WordAt(error->get_object(), "message"));
    TellFindings(told);
    return kRefusedStatus;
  }
  fmt::print("{}@{}{}\n", WordAt(told, "name"), WordAt(told, "version"),
             stored ? "" : " is this very skill already: nothing was stored");
  if (WordAt(told, "state") == "disabled") {
    fmt::print(stderr, "belljar: it is disabled; see belljar skill show {}\n",
               WordAt(told, "name"));
  }
  if (NeedsReview(told)) {
    fmt::print(stderr, "belljar: each run of it needs an approval:\n");
    TellFindings(told);
  }
  return 0;
}

}  // namespace

Result<int> AddSkill(const SkillArguments& arguments) {
  std::error_code unknown;
  const bool folder = std::filesystem::is_directory(arguments.file, unknown);
  json::object definition = BJ_TRY(folder ? FromFolder(arguments) : FromFile(arguments));
  BJ_TRY(ApplyTyped(arguments, definition));
  if (!definition.contains("name")) {
    return Error(Kind::kInvalid, "a skill needs a name: give it with --name");
  }
  SkillClient door = BJ_TRY(SkillClient::Open(arguments.flags.daemon));
  const json::object told = BJ_TRY(door.Add(definition));
  const json::value* const stored = told.if_contains("stored");
  if (!arguments.flags.json) return TellStored(told, stored != nullptr && *stored == true);
  PrintObject(told);
  return told.contains("error") ? kRefusedStatus : 0;
}

}  // namespace belljar::door::cli
