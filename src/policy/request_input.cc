#include "policy/request_input.h"

#include "policy/quote.h"
#include "schema/schema.h"

namespace belljar::policy {

std::string InputText(const json::value& input) { return json::serialize(input) + "\n"; }

void SetInput(Request& request, json::value input) {
  request.stdin_bytes = InputText(input);
  request.input = std::move(input);
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

}  // namespace belljar::policy
