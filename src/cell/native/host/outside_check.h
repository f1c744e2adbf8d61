// The supervisor's own look at a sealed guest, through the kernel and not through the guest.
#pragma once

#include <sys/types.h>

#include "cell/native/launcher/orders.h"
#include "foundation/base/result.h"

namespace belljar::cell::native {

// Reads the process's status file and namespaces; an error if any wall is missing.
Result<> CheckFromOutside(pid_t pid, const GuestOrder& order);

// The same judgement over the text of a status file. Split off for tests.
Result<> CheckStatusText(std::string_view status, const GuestOrder& order);

}  // namespace belljar::cell::native
