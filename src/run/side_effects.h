// Side effects: what a run changed beside what its caller expected.
#pragma once

#include <string>
#include <vector>

#include "run/run_result.h"

namespace belljar::run {

constexpr const char* kUnexpectedFile = "result-unexpected-file";

// Lists the created, changed and deleted files that none of the patterns names, and makes a finding
// of them. Where there were more files than a result lists, that is one as well: they cannot be
// vouched for.
void NoteUnexpected(const std::vector<std::string>& writes, RunResult& result);

}  // namespace belljar::run
