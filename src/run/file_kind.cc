#include "run/file_kind.h"

#include <algorithm>
#include <cstddef>

#include "foundation/base/text.h"

namespace belljar::run {
namespace {

constexpr std::size_t kLookedAt = 8192;
constexpr std::size_t kTextPerOther = 10;  // text may have one non-text byte in this many

struct Mark {
  std::size_t at;
  std::string_view bytes;
};
// Magic numbers of binary formats whose content may be mostly text.
constexpr Mark kMarks[] = {
    {257, "ustar"},
    {0, "SQLite format 3"},
    {0, "%PDF-"},
    {0,
     "\x7f"
     "ELF"},
    {0, "PK\x03\x04"},
    {0, "\x1f\x8b"},
    {0, "\x89PNG"},
    {0, "\x89HDF"},
    {0, "\x93NUMPY"},
    {0, "GIF8"},
    {0, "\xff\xd8\xff"},
    {0, "RIFF"},
    {0, "OggS"},
    {0, "PAR1"},
    {0, "ARROW1"},
    {0, "DIRC"},
    {0, "!<arch>"},
    {0, "MZ"},
    {0, "\xca\xfe\xba\xbe"},
    {0, "\x80\x02"},  // pickles
    {0, "\x80\x03"},
    {0, "\x80\x04"},
    {0, "\x80\x05"},
};

bool HasMark(std::string_view bytes) {
  return std::any_of(std::begin(kMarks), std::end(kMarks), [&](const Mark& mark) {
    return bytes.size() > mark.at && bytes.substr(mark.at).starts_with(mark.bytes);
  });
}

// The number of bytes that do not occur in text: control characters and invalid UTF-8.
std::size_t OthersIn(std::string_view bytes) {
  const bool is_utf8 = IsValidUtf8(bytes);
  return static_cast<std::size_t>(std::count_if(bytes.begin(), bytes.end(), [&](char c) {
    const auto byte = static_cast<unsigned char>(c);
    const bool blank = byte >= 0x08 && byte <= 0x0d;
    const bool control = (byte < 0x20 && !blank && byte != 0x1b) || byte == 0x7f;
    return control || (byte >= 0x80 && !is_utf8);
  }));
}

}  // namespace

bool IsTextFile(std::string_view bytes) {
  const std::string_view looked_at = bytes.substr(0, kLookedAt);
  if (looked_at.find('\0') == std::string_view::npos) return true;
  return !HasMark(looked_at) && OthersIn(looked_at) * kTextPerOther <= looked_at.size();
}

}  // namespace belljar::run
