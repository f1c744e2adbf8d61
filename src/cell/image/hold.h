// Marks an image's tree as being in use, by a lock.
//
// A user of a tree takes a shared flock on image.json, which lies beside the tree. Only a tree
// without such a lock is deleted. The kernel releases the lock with the last copy of the
// descriptor, so a killed process holds nothing, and there is no list of users that could become
// stale. A cell cannot see the file: it is above the cell's root.
#pragma once

#include <string>

#include "foundation/base/fd.h"
#include "foundation/base/result.h"

namespace belljar::cell::image {

// `place` is DIR/NAME. The lock lasts while the descriptor is open. If the tree is being deleted,
// waits and then takes the tree that the name leads to afterwards.
Result<Fd> HoldTree(const std::string& place);

// Whether `place` still leads to the tree that is held; false if it was replaced or removed.
bool LeadsToHeld(const std::string& place, const Fd& hold);

// Deletes the tree and its directory, or leaves it whole if it is held. The caller must hold the
// store's lock, and no image name may lead here any more.
Result<> DeleteUnlessHeld(const std::string& place);

}  // namespace belljar::cell::image
