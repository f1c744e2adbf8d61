#include "resource/skill/skill.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

#include "foundation/base/quote.h"
#include "foundation/base/sha256.h"
#include "foundation/base/text.h"
#include "foundation/schema/schema.h"
#include "request/limit_fields.h"
#include "request/request_json.h"
#include "request/request_scan.h"

namespace belljar::resource::skill {
namespace {

// The request keys that a definition may have, besides limits.
constexpr std::array<std::string_view, 5> kOfRequest = {"code", "lang", "level", "image",
                                                        "output_schema"};

bool IsOfRequest(std::string_view key) {
  return request::FindLimitField(key) != nullptr ||
         std::ranges::find(kOfRequest, key) != kOfRequest.end();
}

Result<std::string> TextOf(std::string_view key, const json::value& value) {
  if (!value.is_string()) return Invalid("\"{}\" must be a text", key);
  return std::string(value.get_string().c_str(), value.get_string().size());
}

Result<std::int64_t> ThresholdOf(const json::value& value) {
  double rate = -1;
  if (value.is_number()) rate = value.to_number<double>();
  if (!(rate >= 0 && rate <= 1)) {
    return Invalid(
        "\"threshold\" must be a rate of success from 0 (never disabled) to 1, such as 0.5");
  }
  return std::llround(rate * static_cast<double>(kWhole));
}

// Stores the skill's own keys in `definition`; returns the others, for the parser of requests.
Result<json::object> TakeOwn(const json::object& all, Definition& definition) {
  json::object rest;
  for (const auto& [name, value] : all) {
    const std::string_view key(name.data(), name.size());
    if (key == "name") {
      definition.name = BJ_TRY(TextOf(key, value));
    } else if (key == "description") {
      definition.description = BJ_TRY(TextOf(key, value));
    } else if (key == "threshold") {
      definition.threshold = BJ_TRY(ThresholdOf(value));
    } else if (key == "input_schema") {
      definition.input_schema = value;
    } else if (IsOfRequest(key)) {
      rest[key] = value;
    } else {
      return Invalid(
          "a skill has no key {}; it has name, description, code, lang, level, image, "
          "input_schema, output_schema, threshold and limits such as timeout and memory",
          Quote(key));
    }
  }
  return rest;
}

Result<> CheckSchemaSize(std::string_view key, const std::optional<json::value>& schema) {
  const std::size_t bytes = schema ? json::serialize(*schema).size() : 0;
  if (bytes <= kMaxSkillSchemaBytes) return {};
  return Invalid("\"{}\" has {} bytes; at most {} are allowed", key, bytes, kMaxSkillSchemaBytes);
}

}  // namespace

std::string_view StateName(State state) {
  switch (state) {
    case State::kEnabled:
      return "enabled";
    case State::kDisabled:
      return "disabled";
    case State::kTampered:
      return "tampered";
  }
  return "tampered";
}

std::optional<State> ParseState(std::string_view name) {
  if (name == "enabled") return State::kEnabled;
  if (name == "disabled") return State::kDisabled;
  return std::nullopt;
}

Result<> CheckName(std::string_view name) {
  const auto lower = [](char c) { return c >= 'a' && c <= 'z'; };
  const bool fits = !name.empty() && name.size() <= kMaxNameBytes && lower(name.front()) &&
                    std::ranges::all_of(name, [&](char c) {
                      return lower(c) || (c >= '0' && c <= '9') || c == '_' || c == '-';
                    });
  if (fits) return {};
  return Invalid(
      "a skill cannot be named {}: a name begins with a letter from a to z and has at most {} "
      "letters, digits, _ and -",
      Quote(name), kMaxNameBytes);
}

Result<Handle> ParseHandle(std::string_view text) {
  Handle handle;
  const std::size_t at = text.find('@');
  handle.name = text.substr(0, at);
  BJ_TRY(CheckName(handle.name));
  if (at == std::string_view::npos) return handle;
  const std::string_view number = text.substr(at + 1);
  std::int64_t version = 0;
  const auto read = std::from_chars(number.data(), number.data() + number.size(), version);
  if (read.ec != std::errc() || read.ptr != number.data() + number.size() || version < 1 ||
      version > kMaxVersion || number.front() == '0') {
    return Invalid("{}: a version is a number from 1 on, as in {}@1", Quote(text), handle.name);
  }
  handle.version = version;
  return handle;
}

std::string HandleText(const Skill& skill) {
  return fmt::format("{}@{}", skill.definition.name, skill.version);
}

Result<> CheckDefinition(const Definition& definition) {
  BJ_TRY(CheckName(definition.name));
  const std::string& said = definition.description;
  if (said.size() > kMaxDescriptionBytes) {
    return Invalid("\"description\" has {} bytes; at most {} are allowed", said.size(),
                   kMaxDescriptionBytes);
  }
  if (!IsValidUtf8(said) || said.find('\0') != std::string::npos) {
    return Invalid("\"description\" must be text in UTF-8");
  }
  if (definition.threshold < 0 || definition.threshold > kWhole) {
    return Invalid("\"threshold\" must be from 0 to 1");
  }
  BJ_TRY(CheckSchemaSize("input_schema", definition.input_schema));
  BJ_TRY(CheckSchemaSize("output_schema", definition.request_template.output_schema));
  if (definition.input_schema) {
    BJ_TRY(schema::ParseSchema(*definition.input_schema).While("\"input_schema\""));
  }
  return request::Validate(definition.request_template);
}

Result<Definition> ParseDefinition(std::string_view json_text, const request::Limits& defaults) {
  if (json_text.size() > request::kMaxLineBytes) {
    return Invalid("the skill has {} bytes; at most {} are allowed", json_text.size(),
                   request::kMaxLineBytes);
  }
  const request::RequestScan scan = request::ScanRequest(json_text);
  if (scan.duplicate_key) return Invalid("the key {} is given twice", Quote(*scan.duplicate_key));
  if (scan.too_many_keys) {
    return Invalid("an object has more than {} keys", request::kMaxObjectKeys);
  }
  const json::value value = BJ_TRY(ParseJson(json_text));
  if (!value.is_object()) return Invalid("a skill must be an object");
  Definition definition;
  const json::object rest = BJ_TRY(TakeOwn(value.get_object(), definition));
  if (!rest.contains("code")) return Invalid("a skill needs \"code\"");
  definition.request_template = BJ_TRY(request::ParseRequest(json::serialize(rest), defaults));
  BJ_TRY(CheckDefinition(definition));
  return definition;
}

json::object TermsJson(const Definition& definition) {
  json::object object = {
      {"name", definition.name},
      {"description", definition.description},
      {"threshold", static_cast<double>(definition.threshold) / static_cast<double>(kWhole)}};
  if (definition.input_schema) object["input_schema"] = *definition.input_schema;
  const json::object runs = request::ToJson(definition.request_template);
  for (const auto& [name, value] : runs) {
    const std::string_view key(name.data(), name.size());
    if (IsOfRequest(key) && key != "code") object[key] = value;
  }
  return object;
}

std::string DigestOf(std::string_view terms_text, std::string_view code) {
  // The length separates the two texts, so that moving bytes from one to the other changes the
  // digest.
  const std::string both = fmt::format("{}\n{}{}", terms_text.size(), terms_text, code);
  return Hex(Sha256::Of(both));
}

std::string Fit(std::string_view text, std::size_t most) {
  constexpr std::string_view kCut = "...";
  std::string fitting = ToValidUtf8(text.substr(0, most)).text;
  std::ranges::replace(fitting, '\0', ' ');
  if (text.size() <= most && fitting.size() <= most) return fitting;
  std::size_t end = std::min(fitting.size(), most) - kCut.size();
  while (end > 0 && (static_cast<unsigned char>(fitting[end]) & 0xC0U) == 0x80U) --end;
  return fitting.substr(0, end).append(kCut);
}

}  // namespace belljar::resource::skill
