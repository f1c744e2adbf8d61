#include "foundation/base/safe_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "foundation/base/text.h"

namespace belljar {
namespace {

constexpr std::array kModeNames = {std::pair{TextMode::kRaw, "raw"},
                                   std::pair{TextMode::kVisible, "visible"},
                                   std::pair{TextMode::kPlain, "plain"}};

// Limits on the length of an escape sequence. A longer one is not treated as a sequence: without a
// limit, an unterminated sequence could hide all the output that follows.
constexpr std::size_t kMostParameters = 256;
constexpr std::size_t kMostOfString = 4096;

constexpr char32_t kEscapeChar = 0x1B;

// Bidirectional marks and overrides, and the Unicode line separators, which terminals treat
// differently.
bool TurnsText(char32_t point) {
  return (point >= 0x200E && point <= 0x200F) || (point >= 0x2028 && point <= 0x202E) ||
         (point >= 0x2066 && point <= 0x2069) || point == 0x061C;
}

bool IsControl(char32_t point) {
  return (point < 0x20 && point != '\n' && point != '\t') || (point >= 0x7F && point < 0xA0);
}

// DCS, SOS, OSC, PM and APC introduce a string addressed to the terminal.
bool OpensString(char32_t c1) {
  return c1 == 0x90 || c1 == 0x98 || c1 == 0x9D || c1 == 0x9E || c1 == 0x9F;
}

bool IsBetween(char32_t point, char32_t low, char32_t high) {
  return point >= low && point <= high;
}

std::string Shown(char32_t point) {
  const auto number = static_cast<std::uint32_t>(point);
  return IsControl(point) ? fmt::format("\\x{:02x}", number) : fmt::format("\\u{:04x}", number);
}

char32_t Decode(std::string_view character) {
  const auto lead = static_cast<unsigned char>(character[0]);
  if (character.size() == 1) return lead;
  char32_t point = lead & (0xFFU >> (character.size() + 1));
  for (const char tail : character.substr(1)) {
    point = (point << 6) | (static_cast<unsigned char>(tail) & 0x3FU);
  }
  return point;
}

std::size_t LengthOf(char lead) {
  const auto byte = static_cast<unsigned char>(lead);
  if (byte < 0x80) return 1;
  if (byte < 0xE0) return 2;
  return byte < 0xF0 ? 3 : 4;
}

// Whether `bytes` is a prefix of some valid UTF-8 character. Only the second byte has a range that
// depends on the first byte, and each of these ranges contains one of the three bytes tried here.
bool MayGoOn(std::string_view bytes) {
  const std::size_t length = LengthOf(bytes[0]);
  if (bytes.size() >= length) return false;
  return std::ranges::any_of(std::string_view("\x80\x90\xA0"), [&](char second) {
    std::string whole(bytes);
    if (whole.size() == 1) whole += second;
    whole.resize(length, '\x80');
    return IsValidUtf8(whole);
  });
}

}  // namespace

std::string_view TextModeName(TextMode mode) {
  for (const auto& [known, name] : kModeNames) {
    if (known == mode) return name;
  }
  return "raw";
}

std::optional<TextMode> TextModeNamed(std::string_view name) {
  for (const auto& [mode, known] : kModeNames) {
    if (name == known) return mode;
  }
  return std::nullopt;
}

bool SafeText::Begins(char32_t point) {
  swallowed_ = 0;
  if (point == kEscapeChar) at_ = At::kEscape;
  if (point == 0x9B) at_ = At::kControl;
  if (OpensString(point)) at_ = At::kString;
  return at_ != At::kText;
}

bool SafeText::SwallowsString(char32_t point) {
  constexpr char32_t kBell = 0x07;
  constexpr char32_t kEnd = 0x9C;
  if (point == kEscapeChar) {
    at_ = At::kStringEscape;
    return true;
  }
  if (point == kBell || point == kEnd) {
    at_ = At::kText;
    return true;
  }
  return ++swallowed_ <= kMostOfString && point >= 0x20 && !IsControl(point);
}

bool SafeText::Swallows(char32_t point) {
  switch (at_) {
    case At::kText:
      return false;
    case At::kStringEscape:
      at_ = point == '\\' ? At::kText : At::kEscape;
      return at_ == At::kText || Swallows(point);
    case At::kString:
      return SwallowsString(point);
    case At::kControl:
      if (IsBetween(point, 0x40, 0x7E)) at_ = At::kText;
      return at_ == At::kText || (IsBetween(point, 0x20, 0x3F) && ++swallowed_ <= kMostParameters);
    case At::kEscape:
      if (point == '[') {
        at_ = At::kControl;
        return true;
      }
      if (IsBetween(point, 0x40, 0x5F) && OpensString(point + 0x40)) {
        at_ = At::kString;
        return true;
      }
      at_ = At::kEscapeMiddle;
      return Swallows(point);
    case At::kEscapeMiddle:
      if (IsBetween(point, 0x30, 0x7E)) at_ = At::kText;
      return at_ == At::kText || (IsBetween(point, 0x20, 0x2F) && ++swallowed_ <= kMostParameters);
  }
  return false;
}

void SafeText::Add(char32_t point, std::string_view character, std::string& out) {
  const bool acts = (IsControl(point) && point != '\r') || TurnsText(point);
  if (mode_ == TextMode::kVisible) {
    out += acts ? Shown(point) : std::string(character);
    return;
  }
  if (Swallows(point)) return;
  at_ = At::kText;
  if (Begins(point) || acts) return;
  out += character;
}

void SafeText::AddBad(char byte, std::string& out) {
  at_ = At::kText;
  if (mode_ == TextMode::kVisible) {
    out += fmt::format("\\x{:02x}", static_cast<unsigned>(static_cast<unsigned char>(byte)));
  } else {
    out += "\xEF\xBF\xBD";
  }
}

std::string SafeText::Run(std::string_view bytes, bool last) {
  std::string all = std::exchange(held_, {});
  all += bytes;
  std::string out;
  out.reserve(all.size());
  for (std::string_view rest = all; !rest.empty();) {
    const std::string_view character = rest.substr(0, LengthOf(rest[0]));
    if (IsValidUtf8(character)) {
      Add(Decode(character), character, out);
      rest.remove_prefix(character.size());
    } else if (!last && MayGoOn(rest)) {
      held_ = rest;
      break;
    } else {
      AddBad(rest[0], out);
      rest.remove_prefix(1);
    }
  }
  return out;
}

std::string SafeText::Pass(std::string_view bytes) {
  return mode_ == TextMode::kRaw ? std::string(bytes) : Run(bytes, false);
}

std::string SafeText::Finish() { return mode_ == TextMode::kRaw ? "" : Run("", true); }

std::string MakeSafe(TextMode mode, std::string_view bytes) {
  SafeText text(mode);
  std::string out = text.Pass(bytes);
  return out + text.Finish();
}

std::string MakeVisible(std::string_view bytes) {
  const std::string clean = ToValidUtf8(bytes).text;
  std::string visible;
  for (std::size_t i = 0; i < clean.size();) {
    const std::string_view character = std::string_view(clean).substr(i, LengthOf(clean[i]));
    const char32_t point = Decode(character);
    visible += IsControl(point) || TurnsText(point) ? Shown(point) : std::string(character);
    i += character.size();
  }
  return visible;
}

}  // namespace belljar
