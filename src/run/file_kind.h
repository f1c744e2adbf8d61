// Whether a file that is handed out is text, which is redacted, or bytes, which leave as they are.
//
// A file without a NUL in what is looked at is text. One with NULs is text too if nearly all of it
// reads as text (a list with NULs between its entries, a log with a hole), and it does not begin
// like a format whose parts are found by their lengths: redacting would break such a file.
#pragma once

#include <string_view>

namespace belljar::run {

bool IsTextFile(std::string_view bytes);

}  // namespace belljar::run
