// Selects the interpreter that a cell starts, and its command line.
#pragma once

#include <string>
#include <vector>

#include "cell/backend.h"
#include "cell/image/store.h"

namespace belljar::cell::native {

// Fails if the image lacks the interpreter, with a clearer message than a failed exec in a cell.
Result<> RequireInterpreter(const CellSpec& spec, const image::Image& image);

// The command line of an interpreter that waits for code itself.
std::vector<std::string> InterpreterArgs(const CellSpec& spec, const image::Image& image,
                                         const char* guest_path);

}  // namespace belljar::cell::native
