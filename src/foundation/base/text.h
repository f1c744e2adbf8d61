// UTF-8 validation, replacement of ill-formed bytes, and base64.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace belljar {

// The offset of the first byte that is not part of valid UTF-8, or npos.
std::size_t FindInvalidUtf8(std::string_view bytes);

inline bool IsValidUtf8(std::string_view bytes) {
  return FindInvalidUtf8(bytes) == std::string_view::npos;
}

struct CleanText {
  std::string text;          // valid UTF-8
  std::size_t replaced = 0;  // ill-formed sequences, each shown as U+FFFD
};
CleanText ToValidUtf8(std::string_view bytes);

// Two lower-case digits for each byte.
std::string Hex(std::string_view bytes);

std::string Base64Encode(std::string_view bytes);

// Returns false if `text` is not padded standard base64; `bytes` is then unspecified.
[[nodiscard]] bool Base64Decode(std::string_view text, std::string& bytes);

}  // namespace belljar
