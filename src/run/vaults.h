// The vaults of a run: filled when its cell has been placed, settled when it has been judged.
#pragma once

#include <string>
#include <vector>

#include "cell/backend.h"
#include "request/request.h"
#include "resource/vault/commit.h"
#include "run/run_result.h"

namespace belljar::run {

// Finishes or undoes what a crash has left; one sentence for each. Never fails a start: what could
// not be mended is told, and refuses the runs that ask for the same directory.
std::vector<std::string> RecoverVaults(const std::string& state_dir);

// Copies the host's directories into a cell that has not heard of its request yet.
Result<std::vector<resource::vault::Staged>> StageVaults(const request::Request& request,
                                                         const cell::Cell& cell,
                                                         const std::string& state_dir);

// Commits what a program that ended well has written, and drops everything else. What was
// committed, and what was not and why, is in the result.
void SettleVaults(const std::vector<resource::vault::Staged>& vaults, cell::Cell& cell,
                  const std::string& state_dir, RunResult& result);

// Drops everything, for that reason.
void DropVaults(const std::vector<resource::vault::Staged>& vaults, const std::string& why,
                RunResult& result);

}  // namespace belljar::run
