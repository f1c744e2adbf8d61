// A bash session: one living bash, and beside it this driver, which talks to the supervisor.
//
// The bash is an interactive one without a terminal, because only such a bash drops the whole of
// what it does when it is interrupted, loops and sourced files included, and lives on. It reads its
// commands from a pipe that only the driver writes to: for each statement a line that sources the
// statement's text from a file, with the statement's own stdin, and a line that reports $? on
// another pipe. Code is never part of a line, so nothing a program prints or reads can be mistaken
// for the end of it. Both pipes are out of reach while a statement runs: bash keeps them
// close-on-exec.
//
// The driver is the process that the supervisor sees: it takes SIGINT and passes it to the bash and
// its foreground children, and ends as the bash ended.
#pragma once

#include <string>
#include <string_view>

#include "cell/guest/protocol/wire.h"

namespace belljar::cell::guest {

// Where the image's bash is looked for, whatever the program's own PATH says: as on any machine,
// the interpreter is chosen by who starts a program, and PATH is for what the program starts.
inline constexpr const char* kBashPath = "/usr/local/bin:/usr/bin:/bin";

struct BashSession {
  SessionMessage message;
  int control_fd = -1;  // the stream to the supervisor; SESSION has been read from it
  // Where the driver may keep the text of the running statement. Made if it is not there.
  std::string directory;
};

// Says READY and serves statements until the bash or the supervisor ends.
[[noreturn]] void ServeBash(const BashSession& session);

}  // namespace belljar::cell::guest
