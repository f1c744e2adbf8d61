#include "foundation/base/text.h"

#include <algorithm>
#include <array>
#include <boost/beast/core/detail/base64.hpp>
#include <cstdint>
#include <cstring>

namespace belljar {
namespace {

namespace base64 = boost::beast::detail::base64;

bool IsTail(unsigned char byte) { return (byte & 0xC0) == 0x80; }

// What the lead byte of a UTF-8 sequence determines: the length of the sequence, and the range of
// its second byte. That range excludes overlong forms, surrogates and code points past U+10FFFF
// (Unicode, table 3-7).
struct Lead {
  std::size_t length;
  unsigned char second_low;
  unsigned char second_high;
};

Lead ReadLead(unsigned char byte) {
  if (byte < 0x80) return {1, 0, 0};
  if (byte >= 0xC2 && byte <= 0xDF) return {2, 0x80, 0xBF};
  if (byte == 0xE0) return {3, 0xA0, 0xBF};
  if (byte == 0xED) return {3, 0x80, 0x9F};
  if (byte >= 0xE1 && byte <= 0xEF) return {3, 0x80, 0xBF};
  if (byte == 0xF0) return {4, 0x90, 0xBF};
  if (byte >= 0xF1 && byte <= 0xF3) return {4, 0x80, 0xBF};
  if (byte == 0xF4) return {4, 0x80, 0x8F};
  return {0, 0, 0};
}

struct Sequence {
  bool valid;
  std::size_t length;  // of the valid sequence, or of the ill-formed prefix to replace
};

Sequence Next(std::string_view bytes) {
  const auto at = [&](std::size_t i) { return static_cast<unsigned char>(bytes[i]); };
  const Lead lead = ReadLead(at(0));
  if (lead.length <= 1) return {lead.length == 1, 1};
  if (bytes.size() < 2 || at(1) < lead.second_low || at(1) > lead.second_high) return {false, 1};
  for (std::size_t i = 2; i < lead.length; ++i) {
    if (i >= bytes.size() || !IsTail(at(i))) return {false, i};
  }
  return {true, lead.length};
}

// How many bytes from `from` on are ASCII. Tests eight bytes at a time, because large outputs are
// mostly ASCII.
std::size_t AsciiFrom(std::string_view bytes, std::size_t from) {
  constexpr std::uint64_t kHighBits = 0x8080808080808080;
  std::size_t i = from;
  for (std::uint64_t word = 0; i + sizeof(word) <= bytes.size(); i += sizeof(word)) {
    std::memcpy(&word, bytes.data() + i, sizeof(word));
    if ((word & kHighBits) != 0) break;
  }
  while (i < bytes.size() && static_cast<unsigned char>(bytes[i]) < 0x80) ++i;
  return i - from;
}

}  // namespace

std::size_t FindInvalidUtf8(std::string_view bytes) {
  for (std::size_t i = AsciiFrom(bytes, 0); i < bytes.size(); i += AsciiFrom(bytes, i)) {
    const Sequence next = Next(bytes.substr(i));
    if (!next.valid) return i;
    i += next.length;
  }
  return std::string_view::npos;
}

CleanText ToValidUtf8(std::string_view bytes) {
  CleanText clean;
  clean.text.reserve(bytes.size());
  while (!bytes.empty()) {
    const std::size_t good = std::min(FindInvalidUtf8(bytes), bytes.size());
    clean.text.append(bytes.substr(0, good));
    bytes.remove_prefix(good);
    if (bytes.empty()) break;
    clean.text.append("\xEF\xBF\xBD");
    ++clean.replaced;
    bytes.remove_prefix(Next(bytes).length);
  }
  return clean;
}

std::string Hex(std::string_view bytes) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string text;
  text.reserve(bytes.size() * 2);
  for (const char c : bytes) {
    const auto byte = static_cast<unsigned char>(c);
    text += kDigits[byte >> 4U];
    text += kDigits[byte & 15U];
  }
  return text;
}

std::string Base64Encode(std::string_view bytes) {
  std::string text(base64::encoded_size(bytes.size()), '\0');
  text.resize(base64::encode(text.data(), bytes.data(), bytes.size()));
  return text;
}

bool Base64Decode(std::string_view text, std::string& bytes) {
  if (text.size() % 4 != 0) return false;
  const std::size_t body = std::min(text.find('='), text.size());
  if (text.size() - body > 2 || text.find_first_not_of('=', body) != std::string_view::npos) {
    return false;
  }
  bytes.resize(base64::decoded_size(text.size()));
  const auto [written, read] = base64::decode(bytes.data(), text.data(), text.size());
  bytes.resize(written);
  return read >= body;
}

}  // namespace belljar
