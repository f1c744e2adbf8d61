// A bash session: one living bash, and this driver, which talks to the supervisor for it.
//
// The bash is interactive but has no terminal, because only an interactive bash abandons everything
// it is doing when it is interrupted, loops and sourced files included, and stays alive. It reads
// commands from a pipe that only the driver writes to. For each statement the driver writes a line
// that sources the statement's text from a file, with the statement's own stdin, and a line that
// reports $? on another pipe. Code is never part of a line, so nothing that a program prints or
// reads can be mistaken for its end. A running statement cannot reach either pipe: bash keeps them
// close-on-exec.
//
// The driver is the process that the supervisor sees: it receives SIGINT and passes it to the bash
// and its foreground children, and it ends as the bash ends: with its exit status or by its signal.
#pragma once

#include <string>
#include <string_view>

#include "cell/guest/protocol/wire.h"

namespace belljar::cell::guest {

// The search path for the image's bash, independent of the program's PATH: as on any machine, the
// caller chooses the interpreter, and PATH applies to what the program starts.
inline constexpr const char* kBashPath = "/usr/local/bin:/usr/bin:/bin";

struct BashSession {
  SessionMessage message;
  int control_fd = -1;  // the stream to the supervisor; SESSION has been read from it
  // The directory for the text of the running statement. Created if it does not exist.
  std::string directory;
};

// Sends READY and serves statements until the bash or the supervisor ends.
[[noreturn]] void ServeBash(const BashSession& session);

}  // namespace belljar::cell::guest
