// Quoting of untrusted bytes in error messages, and detection of characters that can mislead a
// reader.
//
// An error about hostile text ends up in a terminal, a log and a JSON line. So the text is quoted,
// cut to a line's length, made valid UTF-8, and freed of characters that move the cursor or reorder
// text.
#pragma once

#include <fmt/format.h>

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

#include "foundation/base/result.h"

namespace belljar {

enum class Trouble {
  kNone,
  kControl,        // C0, DEL, C1, and the line and paragraph separators
  kBidirectional,  // marks, embeddings, overrides and isolates
};

struct TroubleAt {
  Trouble trouble = Trouble::kNone;
  std::size_t offset = std::string_view::npos;
};

// The first control or bidirectional character of a valid UTF-8 text.
TroubleAt FindTrouble(std::string_view text);
// The offset of the first control character, or npos.
std::size_t FindControl(std::string_view text);

// `text` in double quotes, cut after 64 bytes; a cut is shown as "...".
std::string Quote(std::string_view text);

// An Error with Kind::kInvalid and a formatted message.
template <class... Args>
Error Invalid(fmt::format_string<Args...> format, Args&&... args) {
  return Error(Kind::kInvalid, fmt::format(format, std::forward<Args>(args)...));
}

}  // namespace belljar
