// The vaults of a cell: parts of one tmpfs, each mounted below /vault, filled by the supervisor
// through a descriptor before any user code is sent.
//
// Inodes of the host never enter a cell, so these are memory of its own. What is read-only for the
// guest is a second, read-only view that lies over the first: the supervisor's descriptor leads to
// the one beneath, which no path leads to any more.
#pragma once

#include "cell/native/launcher/orders.h"

namespace belljar::cell::native {

// Mounts what the order names and opens each for the supervisor; *failed is the step at fault.
bool MountVaults(const AgentOrder& order, int (&opened)[kMaxVaultMounts], Step* failed);

}  // namespace belljar::cell::native
