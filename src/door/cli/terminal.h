// TerminalOutput: a program's output on its way to the caller's terminal or pipe.
//
// A pipe gets the bytes as they are. A terminal acts on what it is shown (escape sequences can
// retitle it, answer for the user, or hide text), so there control characters and the Unicode
// characters that turn text around are shown as \x1b, \u202e and the like.
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
  // Shows what was held back because a character seemed to continue.
  void Finish();
  // The first failure to write, if there was one. A reader that has gone wanted no more, and is
  // none.
  Result<> Written() const { return written_; }

 private:
  void Flush(int fd, std::string_view text);

  std::array<bool, 3> is_terminal_{};
  std::array<std::string, 3> held_;  // the beginning of a character whose rest has not come yet
  Result<> written_;
};

}  // namespace belljar::door::cli
