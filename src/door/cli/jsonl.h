// --jsonl: reads one request per line and writes one result per line, in the order in which they
// finish.
#pragma once

#include <cstddef>

#include "door/cli/command.h"

namespace belljar::door::cli {

struct LinesOptions {
  std::size_t jobs = 0;  // concurrent runs; 0: the number of CPUs
  std::size_t pool = 8;  // cells kept ready
};

// The error for a program given in addition to --jsonl.
Error ProgramBesideLines();

// The defaults for lines, taken from the flags. A flag that makes no sense for many lines, or a
// value that is invalid for every line, is an error.
Result<json::object> LineDefaults(const RunFlags& flags);

// Returns the exit status: 0 when every line was answered, whatever the outcomes; 130 after a
// signal.
int RunLines(const RunFlags& flags, const LinesOptions& options);

}  // namespace belljar::door::cli
