// Whether the host's files are still what the program has seen.
#pragma once

#include "foundation/base/result.h"
#include "resource/vault/host_dir.h"
#include "resource/vault/plan.h"

namespace belljar::resource::vault {

// Checks everything a plan would replace, remove or fill: it must be as it was when it was copied,
// and where something new is to come there must be nothing. The error names the first that is not.
Result<> CheckUnchanged(const HostDir& host, const Tree& before, const Plan& plan);

// For the whole process, to show in tests what the check holds.
void LeaveOutConflictCheck();

}  // namespace belljar::resource::vault
