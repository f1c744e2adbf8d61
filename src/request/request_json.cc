#include "request/request_json.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "foundation/base/text.h"
#include "request/limit_fields.h"

namespace belljar::request {
namespace {

// The keys that set the program's standard input.
constexpr std::array<std::string_view, 3> kStdinKeys = {"stdin", "stdin_base64", "input"};

json::value LimitJson(const LimitField& field, const Limits& limits) {
  const std::uint64_t value = field.get(limits);
  switch (field.unit) {
    case Unit::kDuration:
      return json::value(fmt::format("{}ms", value));
    case Unit::kCpus:
      return static_cast<double>(value) / 1000;
    case Unit::kSize:
    case Unit::kCount:
      break;
  }
  return value;
}

json::array ListJson(const std::vector<std::string>& items) {
  json::array array;
  for (const std::string& item : items) array.emplace_back(item);
  return array;
}

// Whether the bytes are valid text that is not longer as a JSON string than as base64.
bool GoesAsText(std::string_view bytes) {
  std::size_t escapes = 0;
  for (const char c : bytes) {
    const auto byte = static_cast<unsigned char>(c);
    const bool short_escape = c == '"' || c == '\\' || (c >= '\b' && c <= '\r' && c != '\v');
    if (short_escape) escapes += 1;
    if (byte < 0x20 && !short_escape) escapes += 5;
  }
  return escapes <= bytes.size() / 3 && IsValidUtf8(bytes);
}

void AddInputs(const Request& request, json::object& object) {
  if (request.input) {
    object["input"] = *request.input;  // the input is also the standard input
  } else if (!request.stdin_bytes.empty()) {
    if (GoesAsText(request.stdin_bytes)) {
      object["stdin"] = request.stdin_bytes;
    } else {
      object["stdin_base64"] = Base64Encode(request.stdin_bytes);
    }
  }
  if (request.input_schema) object["input_schema"] = *request.input_schema;
  if (request.output_schema) object["output_schema"] = *request.output_schema;
  if (!request.env.empty()) {
    json::object env;
    for (const auto& [name, value] : request.env) env[name] = value;
    object["env"] = std::move(env);
  }
  if (!request.files.empty()) {
    json::object files;
    for (const InputFile& file : request.files) files[file.path] = Base64Encode(file.bytes);
    object["files"] = std::move(files);
  }
}

}  // namespace

json::object ToJson(const Request& request) {
  json::object object;
  if (!request.id.empty()) object["id"] = IdJson(request.id, request.numeric_id);
  object["lang"] = LangName(request.lang);
  if (request.command.empty()) {
    object["code"] = request.code;
  } else {
    object["command"] = ListJson(request.command);
  }
  object["image"] = request.image;
  if (request.backend) object["backend"] = BackendName(*request.backend);
  for (const auto& [key, text] : {std::pair{"correlation_id", &request.correlation_id},
                                  {"session", &request.session},
                                  {"level", &request.level},
                                  {"reason", &request.reason}}) {
    if (!text->empty()) object[key] = *text;
  }
  for (const LimitField& field : LimitFields())
    object[field.key] = LimitJson(field, request.limits);
  AddInputs(request, object);
  if (!request.args.empty()) object["args"] = ListJson(request.args);
  if (!request.fetch.empty()) object["fetch"] = ListJson(request.fetch);
  if (!request.allow_hosts.empty()) object["allow_hosts"] = ListJson(request.allow_hosts);
  if (!request.artefacts.empty()) {
    json::array artefacts;
    for (const Artefact& each : request.artefacts) artefacts.emplace_back(ArtefactText(each));
    object["artefacts"] = std::move(artefacts);
  }
  if (request.fallback) object["fallback"] = *request.fallback;
  if (request.writes) object["writes"] = ListJson(*request.writes);
  if (request.text != TextMode::kRaw) object["text"] = TextModeName(request.text);
  if (request.deterministic) object["deterministic"] = *request.deterministic;
  return object;
}

Result<Request> ParseRequestOver(const json::object& defaults, std::string_view json_text) {
  if (defaults.empty() || json_text.size() > kMaxLineBytes) return ParseRequest(json_text);
  const auto value = ParseJson(json_text);
  // ParseRequest reports the error
  if (!value || !value->is_object()) return ParseRequest(json_text);
  const json::object& own = value->get_object();
  const bool has_stdin =
      std::ranges::any_of(kStdinKeys, [&](auto key) { return own.contains(key); });
  json::object rest;
  for (const auto& [key, given] : defaults) {
    const bool is_stdin = std::ranges::count(kStdinKeys, std::string_view(key)) > 0;
    if (!own.contains(key) && !(is_stdin && has_stdin)) rest[key] = given;
  }
  if (rest.empty()) return ParseRequest(json_text);
  // The defaults are added to the text, not to the parsed value, so that the parser still detects
  // duplicate keys.
  std::string whole(json_text.substr(0, json_text.rfind('}')));
  if (!own.empty()) whole += ',';
  whole += json::serialize(rest).substr(1);
  return ParseRequest(whole);
}

}  // namespace belljar::request
