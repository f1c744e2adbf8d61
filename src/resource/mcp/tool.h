// A server's tools and results of calls, parsed from its answers. Plain values.
//
// The server is not trusted: names are restricted to the characters that MCP allows, and schemas
// and lists to a maximum size. A tool that violates these limits is left out, because no client
// could call it correctly.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "foundation/base/json.h"
#include "foundation/base/result.h"

namespace belljar::resource::mcp {

struct Tool {
  std::string name;
  std::string description;  // at most kMaxDescriptionBytes
  json::object input_schema;
  std::optional<json::object> output_schema;
};

constexpr std::size_t kMostTools = 512;
constexpr std::size_t kMostPages = 64;
constexpr std::size_t kMaxNameBytes = 128;
constexpr std::size_t kMaxDescriptionBytes = 8'192;
constexpr std::size_t kMaxSchemaBytes = 64U << 10;
constexpr std::size_t kMaxCursorBytes = 4'096;

// Whether the name is 1 to kMaxNameBytes letters, digits, "_", "-", "." and "/".
bool IsToolName(std::string_view name);

// Parses one page of tools/list and appends its tools to `tools`. Returns the cursor of the next
// page; empty for the last one.
Result<std::string> AddTools(const json::object& result, std::vector<Tool>& tools);

struct CallResult {
  json::array content;                    // content blocks, each an object with a "type"
  std::optional<json::value> structured;  // structured content, if the server sent any
  bool is_error = false;                  // the tool reports a failure
};
Result<CallResult> ReadCallResult(json::object result);

}  // namespace belljar::resource::mcp
