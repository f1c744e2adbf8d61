// Asking a program of the host a question: its standard output, within a time.
//
// Used for what only an interpreter knows of itself: its version, its search path. The program
// gets an empty environment but for LC_ALL, and no input.
#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "foundation/base/result.h"

namespace belljar::cell::image {

// `argv[0]` is an absolute path. An exit status other than 0, more than 64 KiB of output, or no
// end within `timeout` (the program is then killed) are errors that name the program.
enum class Answers { kOnStdout, kOnEither };  // where its answer is
Result<std::string> AskProgram(const std::vector<std::string>& argv,
                               std::chrono::milliseconds timeout,
                               Answers answers = Answers::kOnStdout);

}  // namespace belljar::cell::image
