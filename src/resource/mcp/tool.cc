#include "resource/mcp/tool.h"

#include <fmt/format.h>

#include <algorithm>

#include "foundation/base/text.h"

namespace belljar::resource::mcp {
namespace {

constexpr std::size_t kMostBlocks = 1'024;

Error BadResult(std::string_view what) {
  return Error(Kind::kInvalid, fmt::format("the server's answer is malformed: {}", what));
}

const json::object* SchemaIn(const json::object& tool, std::string_view key) {
  const json::value* const value = tool.if_contains(key);
  const json::object* const schema = value == nullptr ? nullptr : value->if_object();
  if (schema == nullptr || json::serialize(*schema).size() > kMaxSchemaBytes) return nullptr;
  return schema;
}

std::optional<Tool> ToolIn(const json::value& value) {
  const json::object* const object = value.if_object();
  if (object == nullptr) return std::nullopt;
  const json::value* const name = object->if_contains("name");
  if (name == nullptr || !name->is_string() || !IsToolName(name->get_string())) return std::nullopt;
  const json::object* const input = SchemaIn(*object, "inputSchema");
  if (input == nullptr) return std::nullopt;
  Tool tool;
  tool.name = name->get_string();
  tool.input_schema = *input;
  if (const json::object* output = SchemaIn(*object, "outputSchema")) tool.output_schema = *output;
  if (const json::value* text = object->if_contains("description"); text && text->is_string()) {
    const std::string_view whole = text->get_string();
    tool.description = ToValidUtf8(whole.substr(0, kMaxDescriptionBytes)).text;
  }
  return tool;
}

bool IsBlock(const json::value& value) {
  const json::object* const object = value.if_object();
  const json::value* const type = object == nullptr ? nullptr : object->if_contains("type");
  return type != nullptr && type->is_string();
}

}  // namespace

bool IsToolName(std::string_view name) {
  const auto fits = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '-' || c == '.' || c == '/';
  };
  return !name.empty() && name.size() <= kMaxNameBytes && std::ranges::all_of(name, fits);
}

Result<std::string> AddTools(const json::object& result, std::vector<Tool>& tools) {
  const json::value* const listed = result.if_contains("tools");
  if (listed == nullptr || !listed->is_array()) return BadResult("\"tools\" is no list");
  for (const json::value& value : listed->get_array()) {
    auto tool = ToolIn(value);
    if (!tool || std::ranges::find(tools, tool->name, &Tool::name) != tools.end()) continue;
    if (tools.size() >= kMostTools) {
      return Error(Kind::kExhausted,
                   fmt::format("the server lists more than {} tools", kMostTools));
    }
    tools.push_back(*std::move(tool));
  }
  const json::value* const next = result.if_contains("nextCursor");
  if (next == nullptr || next->is_null()) return std::string();
  if (!next->is_string() || next->get_string().size() > kMaxCursorBytes) {
    return BadResult("\"nextCursor\" is no text that could be given back");
  }
  return std::string(next->get_string());
}

Result<CallResult> ReadCallResult(json::object result) {
  CallResult call;
  if (const json::value* kind = result.if_contains("resultType"); kind && *kind != "complete") {
    return Error(Kind::kUnavailable,
                 "the tool wants to ask somebody before it answers, which it cannot do here");
  }
  if (json::value* content = result.if_contains("content")) {
    if (!content->is_array()) return BadResult("\"content\" is no list");
    call.content = std::move(content->get_array());
  }
  if (call.content.size() > kMostBlocks || !std::ranges::all_of(call.content, IsBlock)) {
    return BadResult("\"content\" holds what is no block");
  }
  if (json::value* given = result.if_contains("structuredContent"); given && !given->is_null()) {
    call.structured = std::move(*given);
  }
  if (const json::value* error = result.if_contains("isError")) {
    if (!error->is_bool()) return BadResult("\"isError\" is neither true nor false");
    call.is_error = error->get_bool();
  }
  return call;
}

}  // namespace belljar::resource::mcp
