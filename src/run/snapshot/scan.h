// Scan: lists the entries of a workspace, read once from top to bottom, without file contents.
//
// A scan for a snapshot refuses entries that a snapshot cannot carry, and names them, before
// anything is stored. A scan before a restore accepts any tree, because its entries may have to be
// removed. It makes directories accessible that the guest has closed, and does not enter those that
// will be removed, so their depth does not matter.
#pragma once

#include <sys/stat.h>

#include <vector>

#include "foundation/base/fd.h"
#include "foundation/base/result.h"
#include "run/snapshot/bounds.h"
#include "run/snapshot/manifest.h"

namespace belljar::run::snapshot {

struct Found {
  Entry entry;  // for a file: without digest, extents and attributes
  struct stat stat {};
};

// In the order of a manifest; the first entry is the workspace itself.
Result<std::vector<Found>> ScanToTake(const Fd& workspace, const Bounds& bounds);
Result<std::vector<Found>> ScanToRestore(const Fd& workspace, const std::vector<Entry>& wanted);

// Fails if a directory has changed since the scan: an entry was added, removed or renamed.
Result<> CheckUnmoved(const Fd& workspace, const std::vector<Found>& found);

}  // namespace belljar::run::snapshot
