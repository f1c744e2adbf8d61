#include "judgement/analysis/javascript/text.h"

#include <algorithm>
#include <cstdlib>

namespace belljar::judgement::analysis::javascript {
namespace {

constexpr std::uint32_t kReplacement = 0xFFFD;

int HexDigit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

// Reads up to `most` hexadecimal digits and advances `at` past them.
std::uint32_t ReadHex(std::string_view text, std::size_t& at, std::size_t most) {
  std::uint32_t code = 0;
  for (std::size_t i = 0; i < most && at < text.size() && HexDigit(text[at]) >= 0; ++i) {
    code = code * 16 + static_cast<std::uint32_t>(HexDigit(text[at++]));
  }
  return code;
}

std::uint32_t ReadUnicodeEscape(std::string_view text, std::size_t& at) {
  if (at >= text.size() || text[at] != '{') return ReadHex(text, at, 4);
  ++at;
  const std::uint32_t code = ReadHex(text, at, 6);
  if (at < text.size() && text[at] == '}') ++at;
  return code;
}

std::uint32_t ReadOctal(std::string_view text, std::size_t& at) {
  std::uint32_t code = 0;
  for (int i = 0; i < 3 && at < text.size() && text[at] >= '0' && text[at] <= '7'; ++i) {
    code = code * 8 + static_cast<std::uint32_t>(text[at++] - '0');
  }
  return code;
}

// Decodes one escape sequence. `at` is just behind the backslash; it is advanced past the sequence.
void AppendEscape(std::string& to, std::string_view text, std::size_t& at) {
  static constexpr std::string_view kLetters = "nrtbfv";
  static constexpr std::string_view kCodes = "\n\r\t\b\f\v";
  const char letter = text[at];
  if (letter >= '0' && letter <= '7') return AppendCode(to, ReadOctal(text, at));
  ++at;
  if (letter == 'x') return AppendCode(to, ReadHex(text, at, 2));
  if (letter == 'u') return AppendCode(to, ReadUnicodeEscape(text, at));
  if (letter == '\n') return;
  if (letter == '\r') {
    if (at < text.size() && text[at] == '\n') ++at;
    return;
  }
  const std::size_t known = kLetters.find(letter);
  to += known == std::string_view::npos ? letter : kCodes[known];
}

int Base64Digit(char c) {
  if (c >= 'A' && c <= 'Z') return c - 'A';
  if (c >= 'a' && c <= 'z') return c - 'a' + 26;
  if (c >= '0' && c <= '9') return c - '0' + 52;
  if (c == '+' || c == '-') return 62;
  if (c == '/' || c == '_') return 63;
  return -1;
}

std::size_t SequenceLength(unsigned char lead) {
  if (lead < 0xC2) return 1;
  if (lead < 0xE0) return 2;
  if (lead < 0xF0) return 3;
  return lead < 0xF5 ? 4 : 1;
}

}  // namespace

std::string Unescape(std::string_view text) {
  std::string plain;
  plain.reserve(text.size());
  for (std::size_t at = 0; at < text.size();) {
    if (text[at] != '\\' || at + 1 == text.size()) {
      plain += text[at++];
      continue;
    }
    ++at;
    AppendEscape(plain, text, at);
  }
  return plain;
}

void AppendCode(std::string& text, std::uint32_t code) {
  const auto add = [&](std::uint32_t byte) { text += static_cast<char>(byte); };
  if (code > 0x10FFFF) code = kReplacement;
  if (code < 0x80) return add(code);
  if (code < 0x800) {
    add(0xC0 | code >> 6);
  } else {
    if (code < 0x10000) {
      add(0xE0 | code >> 12);
    } else {
      add(0xF0 | code >> 18);
      add(0x80 | (code >> 12 & 0x3F));
    }
    add(0x80 | (code >> 6 & 0x3F));
  }
  add(0x80 | (code & 0x3F));
}

std::u32string CodesOf(std::string_view text) {
  std::u32string codes;
  codes.reserve(text.size());
  for (std::size_t at = 0; at < text.size();) {
    const auto lead = static_cast<unsigned char>(text[at]);
    const std::size_t length = std::min(SequenceLength(lead), text.size() - at);
    std::uint32_t code = length == 1 ? lead : lead & (0xFFU >> (length + 1));
    for (std::size_t i = 1; i < length; ++i) {
      code = code << 6 | (static_cast<unsigned char>(text[at + i]) & 0x3FU);
    }
    codes += static_cast<char32_t>(code);
    at += length;
  }
  return codes;
}

std::string TextOf(std::u32string_view codes) {
  std::string text;
  for (const char32_t code : codes) AppendCode(text, code);
  return text;
}

std::string DecodeBase64(std::string_view text) {
  std::string bytes;
  std::uint32_t bits = 0;
  int count = 0;
  for (const char c : text) {
    const int digit = Base64Digit(c);
    if (digit < 0) continue;
    bits = (bits << 6 | static_cast<std::uint32_t>(digit)) & 0xFFFFFF;
    count += 6;
    if (count < 8) continue;
    count -= 8;
    bytes += static_cast<char>(bits >> count & 0xFF);
  }
  return bytes;
}

std::string DecodeHex(std::string_view text) {
  std::string bytes;
  for (std::size_t at = 0; at + 1 < text.size(); at += 2) {
    const int high = HexDigit(text[at]);
    const int low = HexDigit(text[at + 1]);
    if (high < 0 || low < 0) break;
    bytes += static_cast<char>(high * 16 + low);
  }
  return bytes;
}

std::string DecodePercent(std::string_view text) {
  std::string plain;
  for (std::size_t at = 0; at < text.size();) {
    if (text[at] != '%' || at + 2 >= text.size()) {
      plain += text[at++];
    } else if (text[at + 1] == 'u') {
      at += 2;
      AppendCode(plain, ReadHex(text, at, 4));
    } else {
      ++at;
      plain += static_cast<char>(ReadHex(text, at, 2));
    }
  }
  return plain;
}

std::string FromLatin1(std::string_view bytes) {
  std::string text;
  for (const char byte : bytes) AppendCode(text, static_cast<unsigned char>(byte));
  return text;
}

std::optional<double> ParseNumber(std::string_view text) {
  std::string digits;
  for (const char c : text) {
    if (c != '_') digits += c;
  }
  if (digits.ends_with('n')) digits.pop_back();
  int base = 0;
  if (digits.size() > 2 && digits[0] == '0') {
    const char letter = static_cast<char>(digits[1] | 0x20);
    base = letter == 'x' ? 16 : letter == 'o' ? 8 : letter == 'b' ? 2 : 0;
  }
  char* end = nullptr;
  const double number = base == 0
                            ? std::strtod(digits.c_str(), &end)
                            : static_cast<double>(std::strtoull(digits.c_str() + 2, &end, base));
  if (end == digits.c_str() || *end != '\0') return std::nullopt;
  return number;
}

}  // namespace belljar::judgement::analysis::javascript
