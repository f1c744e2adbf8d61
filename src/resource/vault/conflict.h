// Conflict check: whether the host's files are still in the state that the program saw.
#pragma once

#include "foundation/base/result.h"
#include "resource/vault/host_dir.h"
#include "resource/vault/plan.h"

namespace belljar::resource::vault {

// Checks everything that a plan would replace, remove or create: existing entries must be as they
// were when they were copied, and the paths of new entries must be free. The error names the first
// conflict.
Result<> CheckUnchanged(const HostDir& host, const Tree& before, const Plan& plan);

// Disables the check in the whole process; tests use it to show that the check is needed.
void LeaveOutConflictCheck();

}  // namespace belljar::resource::vault
