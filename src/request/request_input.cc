#include "request/request_input.h"

#include <algorithm>

#include "foundation/base/json_scan.h"
#include "foundation/base/quote.h"
#include "foundation/schema/schema.h"

namespace belljar::request {

std::string InputText(const json::value& input) { return json::serialize(input) + "\n"; }

void SetInput(Request& request, json::value input) {
  request.stdin_bytes = InputText(input);
  request.input = std::move(input);
}

Result<> CheckInputNumbers(std::string_view json_text) {
  std::string place;
  EachScalar(json_text, [&](const std::vector<std::string_view>& names, std::string_view written) {
    if (names.empty() || names.front() != "input" || !PlaceOfUnheldNumber(written)) return true;
    for (const std::string_view name : names) {
      if (!name.empty()) place += (place.empty() ? "" : ".") + std::string(name);
    }
    return false;
  });
  if (place.empty()) return {};
  return Invalid(
      "{} has a whole number beyond 64 bits, which would reach the program as another: send it as "
      "a text",
      Quote(place));
}

Result<> CheckInput(const Request& request) {
  if (request.input && request.stdin_bytes != InputText(*request.input)) {
    return Invalid("give either \"stdin\" or \"input\", not both");
  }
  if (request.output_schema) {
    BJ_TRY(schema::ParseSchema(*request.output_schema).While("\"output_schema\""));
  }
  if (!request.input_schema) return {};
  if (!request.input) return Invalid("\"input_schema\" needs an \"input\" that it is held against");
  const auto wanted = BJ_TRY(schema::ParseSchema(*request.input_schema).While("\"input_schema\""));
  const auto mismatches = schema::Check(wanted, *request.input);
  if (mismatches.empty()) return {};
  return Invalid("{}", schema::Sentence("input", mismatches));
}

namespace {

// Checks one pattern with * and ?, of a path in the workspace or in a vault.
Result<> CheckPattern(std::string_view pattern) {
  constexpr std::string_view kVault = "/vault/";
  const std::size_t special = pattern.find_first_of("[]{}\\");
  if (special != std::string_view::npos) {
    return Invalid("the pattern {} has a '{}'; there are only *, ? and **", Quote(pattern),
                   pattern[special]);
  }
  return CheckRelativePath(pattern.starts_with(kVault) ? pattern.substr(kVault.size()) : pattern);
}

}  // namespace

Result<> CheckWrites(const Request& request) {
  if (!request.writes) return {};
  if (request.writes->size() > kMaxWrites) {
    return Invalid("\"writes\" has {} entries; at most {} are allowed", request.writes->size(),
                   kMaxWrites);
  }
  std::size_t bytes = 0;
  for (const std::string& pattern : *request.writes) {
    BJ_TRY(CheckPattern(pattern).While("\"writes\""));
    bytes += pattern.size();
  }
  if (bytes <= kMaxWritesBytes) return {};
  return Invalid("\"writes\" has {} bytes; at most {} are allowed", bytes, kMaxWritesBytes);
}

Result<> ReadWrites(std::string_view key, const json::value& value, Request& request) {
  const auto is_string = [](const json::value& item) { return item.is_string(); };
  if (!value.is_array() || !std::ranges::all_of(value.get_array(), is_string)) {
    return Invalid("\"{}\" must be a list of patterns of paths", key);
  }
  request.writes.emplace();
  for (const json::value& item : value.get_array()) {
    request.writes->emplace_back(item.get_string());
  }
  return {};
}

Result<> ReadInput(std::string_view, const json::value& value, Request& request) {
  SetInput(request, value);
  return {};
}

Result<> ReadInputSchema(std::string_view, const json::value& value, Request& request) {
  request.input_schema = value;
  return {};
}

Result<> ReadText(std::string_view key, const json::value& value, Request& request) {
  const auto mode = value.is_string() ? TextModeNamed(value.get_string()) : std::nullopt;
  if (!mode) return Invalid("\"{}\" must be \"raw\", \"visible\" or \"plain\"", key);
  request.text = *mode;
  return {};
}

Result<> ReadOutputSchema(std::string_view, const json::value& value, Request& request) {
  request.output_schema = value;
  return {};
}

}  // namespace belljar::request
