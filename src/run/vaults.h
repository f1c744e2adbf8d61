// Vaults of a run: copied into the cell once it has been placed, committed or dropped once the run
// has been judged.
#pragma once

#include <string>
#include <vector>

#include "cell/backend.h"
#include "request/request.h"
#include "resource/vault/commit.h"
#include "run/run_result.h"

namespace belljar::run {

// Completes or rolls back commits that a crash interrupted, and returns one sentence for each. It
// never fails a start: what could not be repaired is reported, and runs that ask for the same
// directory are refused.
std::vector<std::string> RecoverVaults(const std::string& state_dir);

// Copies the host's directories into a cell that has not been sent its request yet.
Result<std::vector<resource::vault::Staged>> StageVaults(const request::Request& request,
                                                         const cell::Cell& cell,
                                                         const std::string& state_dir);

// Commits the writes of a program that succeeded, and drops everything else. The result says what
// was committed, and what was not and why.
void SettleVaults(const std::vector<resource::vault::Staged>& vaults, cell::Cell& cell,
                  const std::string& state_dir, RunResult& result);

// Drops all changes, for the given reason.
void DropVaults(const std::vector<resource::vault::Staged>& vaults, const std::string& why,
                RunResult& result);

}  // namespace belljar::run
