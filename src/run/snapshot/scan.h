// Scan: the shape of a workspace, read once from top to bottom; contents are not read here.
//
// A scan for a snapshot refuses what a snapshot cannot carry, by name, before anything is stored.
// A scan before a restore takes the tree as it is, since whatever is there may have to go. It opens
// directories to their owner that the guest has closed to everybody, and does not enter those that
// will go: however deep they are, they cannot stand in the way of a restore.
#pragma once

#include <sys/stat.h>

#include <vector>

#include "foundation/base/fd.h"
#include "foundation/base/result.h"
#include "run/snapshot/bounds.h"
#include "run/snapshot/manifest.h"

namespace belljar::run::snapshot {

struct Found {
  Entry entry;  // of a file: without digest, extents and attributes
  struct stat stat {};
};

// In the order of a manifest; the first is the workspace itself.
Result<std::vector<Found>> ScanToTake(const Fd& workspace, const Bounds& bounds);
Result<std::vector<Found>> ScanToRestore(const Fd& workspace, const std::vector<Entry>& wanted);

// An error when a directory is not as it was found: something came, went or was renamed.
Result<> CheckUnmoved(const Fd& workspace, const std::vector<Found>& found);

}  // namespace belljar::run::snapshot
