// The supervisor's own check of a sealed guest, through the kernel and not through the guest.
#pragma once

#include <sys/types.h>

#include "cell/native/launcher/orders.h"
#include "foundation/base/result.h"

namespace belljar::cell::native {

// Reads the process's status file and namespaces; an error if any mechanism is missing.
Result<> CheckFromOutside(pid_t pid, const GuestOrder& order);

// The same check on the text of a status file. Separate for tests.
Result<> CheckStatusText(std::string_view status, const GuestOrder& order);

}  // namespace belljar::cell::native
