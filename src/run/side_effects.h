// Side effects: file changes of a run that its caller did not expect.
#pragma once

#include <string>
#include <vector>

#include "run/run_result.h"

namespace belljar::run {

constexpr const char* kUnexpectedFile = "result-unexpected-file";

// Lists the created, changed and deleted files that match none of the patterns, and adds a finding
// about them. A truncated file list also gives a finding, because the unlisted files cannot be
// checked.
void NoteUnexpected(const std::vector<std::string>& writes, RunResult& result);

}  // namespace belljar::run
