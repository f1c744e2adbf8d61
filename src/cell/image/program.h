// AskProgram: runs a program of the host and returns its standard output, with a timeout.
//
// Used for facts that only an interpreter knows about itself: its version, its search path. The
// program gets LC_ALL as its only environment variable, and no input.
#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "foundation/base/result.h"

namespace belljar::cell::image {

// `argv[0]` is an absolute path. An exit status other than 0, more than 64 KiB of output, or a run
// longer than `timeout` (the program is then killed) are errors that name the program.
enum class Answers { kOnStdout, kOnEither };  // where the program prints its answer
Result<std::string> AskProgram(const std::vector<std::string>& argv,
                               std::chrono::milliseconds timeout,
                               Answers answers = Answers::kOnStdout);

}  // namespace belljar::cell::image
