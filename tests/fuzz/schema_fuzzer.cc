// Holds arbitrary values against arbitrary schemas: the first line is the schema, the rest the
// value. What is said must be text that can be shown, the same each time, and no more than
// promised. Text made safe to show is fed with the same bytes.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "foundation/base/safe_text.h"
#include "foundation/base/text.h"
#include "foundation/schema/schema.h"

namespace {

using namespace belljar;

void Require(bool holds) {
  if (!holds) std::abort();
}

void CheckSafeText(std::string_view bytes) {
  for (const TextMode mode : {TextMode::kVisible, TextMode::kPlain}) {
    const std::string whole = MakeSafe(mode, bytes);
    Require(IsValidUtf8(whole));
    SafeText text(mode);
    std::string pieces = text.Pass(bytes.substr(0, bytes.size() / 2));
    pieces += text.Pass(bytes.substr(bytes.size() / 2));
    Require(pieces + text.Finish() == whole);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  CheckSafeText(text);
  const std::size_t line = text.find('\n');
  if (line == std::string_view::npos) return 0;
  const auto schema_text = ParseJson(text.substr(0, line));
  const auto value = ParseJson(text.substr(line + 1));
  if (!schema_text || !value) return 0;
  const auto parsed = schema::ParseSchema(*schema_text);
  if (!parsed) {
    const std::string& message = parsed.error().message();
    Require(!message.empty() && MakeVisible(message) == message);
    return 0;
  }
  const auto mismatches = schema::Check(*parsed, *value);
  Require(mismatches.size() <= schema::kMaxMismatches);
  const std::string told = schema::Sentence("value", mismatches);
  Require(MakeVisible(told) == told);
  Require(told == schema::Sentence("value", schema::Check(*parsed, *value)));
  return 0;
}
