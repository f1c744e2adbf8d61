// Who uses an image's tree, told by a lock.
//
// A user holds image.json, which lies beside the tree, by a shared flock. Only a tree that nobody
// holds is deleted. The kernel drops the lock with the last copy of the descriptor, so whoever is
// killed holds nothing, and no list of users can be left behind. A cell cannot see the file: it is
// above the cell's root.
#pragma once

#include <string>

#include "foundation/base/fd.h"
#include "foundation/base/result.h"

namespace belljar::cell::image {

// `place` is DIR/NAME. Held as long as the descriptor is open. Waits where the tree is just being
// deleted, and then takes the one that the name leads to by now.
Result<Fd> HoldTree(const std::string& place);

// Whether `place` still leads to the tree that is held; else it was replaced or removed.
bool LeadsToHeld(const std::string& place, const Fd& hold);

// Deletes the tree with all around it, or leaves it whole if somebody holds it. The store's lock
// must be held, and no name lead here any more.
Result<> DeleteUnlessHeld(const std::string& place);

}  // namespace belljar::cell::image
