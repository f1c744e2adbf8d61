// What a server offers and answers, read from its results. Plain values.
//
// A server may say anything: names are held to the letters that MCP gives them, schemas and lists
// to a greatest size. A tool that does not keep to it is left out, since nobody could call it well.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "base/result.h"

namespace belljar::mcp {

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

// Letters, digits, "_", "-", "." and "/", 1 to kMaxNameBytes of them.
bool IsToolName(std::string_view name);

// One page of tools/list, added to `tools`. The cursor of the next one; empty: it was the last.
Result<std::string> AddTools(const json::object& result, std::vector<Tool>& tools);

struct CallResult {
  json::array content;                    // blocks, each an object with a "type"
  std::optional<json::value> structured;  // where the server gave it
  bool is_error = false;                  // the tool says that it failed
};
Result<CallResult> ReadCallResult(json::object result);

}  // namespace belljar::mcp
