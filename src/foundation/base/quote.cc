#include "foundation/base/quote.h"

#include <fmt/format.h>

#include "foundation/base/text.h"

namespace belljar {
namespace {

struct CodePoint {
  char32_t value;
  std::size_t length;
};

// Decodes the first character of a valid, non-empty UTF-8 text.
CodePoint First(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char lead = byte(0);
  if (lead < 0x80) return {lead, 1};
  const std::size_t length = lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
  char32_t value = lead & (0x7Fu >> length);
  for (std::size_t i = 1; i < length; ++i) value = (value << 6) | (byte(i) & 0x3Fu);
  return {value, length};
}

Trouble Classify(char32_t c) {
  if (c < 0x20 || (c >= 0x7F && c <= 0x9F) || c == 0x2028 || c == 0x2029) return Trouble::kControl;
  if (c == 0x061C || c == 0x200E || c == 0x200F) return Trouble::kBidirectional;
  if ((c >= 0x202A && c <= 0x202E) || (c >= 0x2066 && c <= 0x2069)) return Trouble::kBidirectional;
  return Trouble::kNone;
}

}  // namespace

TroubleAt FindTrouble(std::string_view text) {
  for (std::size_t i = 0; i < text.size();) {
    const CodePoint c = First(text.substr(i));
    const Trouble trouble = Classify(c.value);
    if (trouble != Trouble::kNone) return {trouble, i};
    i += c.length;
  }
  return {};
}

std::size_t FindControl(std::string_view text) {
  for (std::size_t i = 0; i < text.size();) {
    const CodePoint c = First(text.substr(i));
    if (Classify(c.value) == Trouble::kControl) return i;
    i += c.length;
  }
  return std::string_view::npos;
}

std::string Quote(std::string_view text) {
  constexpr std::size_t kShownBytes = 64;
  // Only the part that can be shown is cleaned, so that a hostile megabyte costs nothing. A
  // character cut in two at the end of that part is dropped by the loop below.
  const std::string clean = ToValidUtf8(text.substr(0, kShownBytes + 4)).text;
  std::string quoted = "\"";
  std::size_t i = 0;
  while (i < clean.size()) {
    const CodePoint c = First(std::string_view(clean).substr(i));
    if (i + c.length > kShownBytes) break;
    if (Classify(c.value) != Trouble::kNone) {
      quoted += fmt::format("\\u{:04x}", static_cast<unsigned>(c.value));
    } else {
      if (c.value == '"' || c.value == '\\') quoted += '\\';
      quoted.append(clean, i, c.length);
    }
    i += c.length;
  }
  if (i < clean.size()) quoted += "...";
  return quoted + "\"";
}

}  // namespace belljar
