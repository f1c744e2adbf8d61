// The vaults of a cell: parts of one tmpfs, each mounted below /vault. The supervisor fills them
// through descriptors before any user code is sent.
//
// Inodes of the host never enter a cell, so vaults are memory of the cell. A vault that is
// read-only for the guest has a second, read-only mount over the first: the supervisor's descriptor
// leads to the lower mount, which no path reaches any more.
#pragma once

#include "cell/native/launcher/orders.h"

namespace belljar::cell::native {

// Mounts the vaults that the order lists and opens each for the supervisor. On failure *failed is
// the step.
bool MountVaults(const AgentOrder& order, int (&opened)[kMaxVaultMounts], Step* failed);

}  // namespace belljar::cell::native
