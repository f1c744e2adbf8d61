// TerminalOutput: writes a program's output to the caller's terminal or pipe.
//
// A pipe gets the bytes unchanged. A terminal interprets what it is sent (escape sequences can
// retitle it, answer for the user, or hide text), so there control characters and Unicode
// bidirectional controls are shown as \x1b, \u202e and the like.
#pragma once

#include <array>
#include <string>
#include <string_view>

#include "foundation/base/result.h"
#include "foundation/base/safe_text.h"

namespace belljar::door::cli {

class TerminalOutput {
 public:
  TerminalOutput();
  void Write(int fd, std::string_view bytes);
  // Writes the bytes held back as the beginning of a character.
  void Finish();
  // The first write error, if any. EPIPE does not count: a reader that has closed the pipe wanted
  // no more.
  Result<> Written() const { return written_; }

 private:
  void Flush(int fd, std::string_view text);

  std::array<bool, 3> is_terminal_{};
  std::array<std::string, 3> held_;  // incomplete UTF-8 characters
  Result<> written_;
};

}  // namespace belljar::door::cli
