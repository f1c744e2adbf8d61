// The vaults of a run: filled when its cell has been placed, settled when it has been judged.
#pragma once

#include <string>
#include <vector>

#include "isolate/backend.h"
#include "policy/request.h"
#include "result/run_result.h"
#include "vault/commit.h"

namespace belljar::engine {

// Finishes or undoes what a crash has left; one sentence for each. Never fails a start: what could
// not be mended is told, and refuses the runs that ask for the same directory.
std::vector<std::string> RecoverVaults(const std::string& state_dir);

// Copies the host's directories into a cell that has not heard of its request yet.
Result<std::vector<vault::Staged>> StageVaults(const policy::Request& request,
                                               const isolate::Cell& cell,
                                               const std::string& state_dir);

// Commits what a program that ended well has written, and drops everything else. What was
// committed, and what was not and why, is in the result.
void SettleVaults(const std::vector<vault::Staged>& vaults, isolate::Cell& cell,
                  const std::string& state_dir, result::RunResult& result);

// Drops everything, for that reason.
void DropVaults(const std::vector<vault::Staged>& vaults, const std::string& why,
                result::RunResult& result);

}  // namespace belljar::engine
