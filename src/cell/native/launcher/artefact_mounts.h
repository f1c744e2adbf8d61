// The artefacts of a cell: views (bind mounts) of the host's files and directories below
// /artefacts.
//
// A view is made where the host's files are visible: by the supervisor or, for an ordinary user, by
// a separate process (views.h). It is detached, read-only, nosuid, nodev and noexec. The functions
// here only attach it.
#pragma once

#include "cell/native/launcher/orders.h"

namespace belljar::cell::native {

// Attaches `views` and closes them. Their names follow those of the vaults in order.arg_bytes.
bool MountArtefacts(const AgentOrder& order, const int* views);

// Attaches one view at `name` below the current directory.
bool PlaceView(int view, const char* name);

}  // namespace belljar::cell::native
