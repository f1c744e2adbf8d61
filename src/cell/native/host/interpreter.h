// Which interpreter a cell starts, and how.
#pragma once

#include <string>
#include <vector>

#include "image/store.h"
#include "isolate/backend.h"

namespace belljar::isolate {

// One sentence here, not a failed exec in a cell.
Result<> RequireInterpreter(const CellSpec& spec, const image::Image& image);

// The command line of an interpreter that waits for code itself.
std::vector<std::string> InterpreterArgs(const CellSpec& spec, const image::Image& image,
                                         const char* guest_path);

}  // namespace belljar::isolate
