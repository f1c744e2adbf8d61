// --jsonl: one request per line in, one result per line out, as each finishes.
#pragma once

#include <cstddef>

#include "door/cli/command.h"

namespace belljar::door::cli {

struct LinesOptions {
  std::size_t jobs = 0;  // runs at once; 0: the number of CPUs
  std::size_t pool = 8;  // cells kept ready
};

// The mistake of a program that was named besides.
Error ProgramBesideLines();

// What lines that do not say otherwise say by the flags. A flag that has no meaning for many lines,
// or a value that none of them could have, is an error.
Result<json::object> LineDefaults(const RunFlags& flags);

// The exit status: 0 when every line was answered, whatever the outcomes; 130 when a signal ended
// it.
int RunLines(const RunFlags& flags, const LinesOptions& options);

}  // namespace belljar::door::cli
