// Decides whether a file returned to the caller is text, which is redacted, or binary, which is
// returned unchanged.
//
// Only the beginning of a file is examined. A file without a NUL there is text. One with NULs is
// text too if nearly all of it reads as text (a list with NULs between its entries, a log with a
// hole) and it does not begin like a format whose parts are found by their lengths: redacting would
// break such a file.
#pragma once

#include <string_view>

namespace belljar::run {

bool IsTextFile(std::string_view bytes);

}  // namespace belljar::run
