// The artefacts of a cell: views of files and directories of the host's, mounted below /artefacts.
//
// A view is made where the host's files are in sight, by the supervisor or, for an ordinary user,
// by a process of its own (views.h): detached, read-only, and without set-user-ids, devices and
// programs. Here it is only put into its place.
#pragma once

#include "cell/native/launcher/orders.h"

namespace belljar::cell::native {

// Attaches `views`, in the order of their names behind those of the vaults, and closes them.
bool MountArtefacts(const AgentOrder& order, const int* views);

// One view to NAME below the directory that the caller stands in.
bool PlaceView(int view, const char* name);

}  // namespace belljar::cell::native
