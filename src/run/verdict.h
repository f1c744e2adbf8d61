// Judge: from what was seen to what is said. The first cause decides; then the kernel's counters;
// then the wait status; the guest's own report only adds detail.
#pragma once

#include "engine/observed.h"
#include "policy/request.h"
#include "result/run_result.h"
#include "result/workspace.h"

namespace belljar::engine {

Result<result::RunResult> Judge(const policy::Request& request, Observed& seen,
                                const result::Listing& before, const Fd& workspace);

// A result for a request that was not run.
result::RunResult RefusedResult(const policy::Request& request, std::string reason,
                                json::object layers);

// How full the workspace is, as the kernel counts it.
struct WorkspaceUse {
  std::uint64_t used_bytes = 0;
  bool full = false;  // no byte or no inode left
};
Result<WorkspaceUse> MeasureWorkspace(const Fd& workspace);

// The outcome, and the sentence that explains it.
struct Verdict {
  result::Outcome outcome;
  std::string reason;
};
Verdict Decide(const policy::Limits& limits, const Observed& seen, const WorkspaceUse& use,
               std::uint64_t largest_file_bytes);

}  // namespace belljar::engine
