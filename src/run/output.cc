#include "run/output.h"

#include "foundation/schema/schema.h"

namespace belljar::run {
namespace {

Result<json::value> ReadPrinted(const json::value& schema, const Captured& printed) {
  const auto wrong = [](const std::string& what) { return Error(Kind::kInvalid, what); };
  if (printed.truncated) return wrong("output: stdout was cut short, so it is not one JSON text");
  if (printed.bytes.find_first_not_of(" \t\r\n") == std::string::npos) {
    return wrong("output: must be one JSON text on stdout, which is empty");
  }
  auto value = ParseJson(printed.bytes);
  if (!value) {
    return wrong("output: stdout must be one JSON text and nothing else: " +
                 value.error().message());
  }
  const auto wanted = BJ_TRY(schema::ParseSchema(schema).While("\"output_schema\""));
  const auto mismatches = schema::Check(wanted, *value);
  if (!mismatches.empty()) return wrong(schema::Sentence("output", mismatches));
  return *std::move(value);
}

}  // namespace

void JudgeOutput(const json::value& schema, const Captured& printed, RunResult& result) {
  if (result.outcome != Outcome::kOk) return;
  auto value = ReadPrinted(schema, printed);
  if (!value) {
    result.outcome = Outcome::kException;
    result.reason = value.error().message();
    result.error = cell::guest::GuestError{};
    result.error->type = "OutputMismatch";
    result.error->message = value.error().message();
    return;
  }
  if (printed.bytes == result.stdout_captured.bytes) {
    result.output = *std::move(value);
    return;
  }
  // Redacting a number, or across the end of a string, leaves invalid JSON. Redacting the values
  // one by one instead would miss secrets that only their context reveals.
  auto cleaned = ParseJson(result.stdout_captured.bytes);
  if (cleaned) {
    result.output = *std::move(cleaned);
  } else {
    result.reason = "its output fits, but is no JSON text once what must not leave is taken out";
  }
}

}  // namespace belljar::run
