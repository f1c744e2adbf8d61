// Judge: derives the result from the observations. The supervisor's cause of the end comes first,
// then the kernel's counters, then the wait status; the guest's own report only adds detail.
#pragma once

#include "request/request.h"
#include "run/observed.h"
#include "run/run_result.h"
#include "run/workspace.h"

namespace belljar::run {

Result<RunResult> Judge(const request::Request& request, Observed& seen, const Listing& before,
                        const Fd& workspace);

// The result for a request that was refused.
RunResult RefusedResult(const request::Request& request, std::string reason, json::object layers);

// Usage of the workspace's file system, from statvfs.
struct WorkspaceUse {
  std::uint64_t used_bytes = 0;
  bool full = false;  // no byte or no inode left
};
Result<WorkspaceUse> MeasureWorkspace(const Fd& workspace);

// The outcome, and the sentence that explains it.
struct Verdict {
  Outcome outcome;
  std::string reason;
};
Verdict Decide(const request::Limits& limits, const Observed& seen, const WorkspaceUse& use,
               std::uint64_t largest_file_bytes);

}  // namespace belljar::run
