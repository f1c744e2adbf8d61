// How a caller's bytes are shown in an error, and which characters can mislead a reader.
//
// An error about hostile text ends up in a terminal, a log and a JSON line. So it is quoted, cut
// to a line's length, valid UTF-8, and without characters that move the cursor or reorder text.
#pragma once

#include <fmt/format.h>

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

#include "base/result.h"

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

// "text" in double quotes, at most 64 bytes of it; what is cut is shown as "...".
std::string Quote(std::string_view text);

// The refusal of a request, in a sentence.
template <class... Args>
Error Invalid(fmt::format_string<Args...> format, Args&&... args) {
  return Error(Kind::kInvalid, fmt::format(format, std::forward<Args>(args)...));
}

}  // namespace belljar
