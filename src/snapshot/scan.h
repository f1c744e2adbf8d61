// Scan: the shape of a workspace, read once from top to bottom; contents are not read here.
//
// A scan for a snapshot refuses what a snapshot cannot carry, by name, before anything is stored.
// A scan before a restore takes the tree as it is, since whatever is there may have to go, and
// opens directories to their owner that the guest has closed to everybody.
#pragma once

#include <sys/stat.h>

#include <vector>

#include "base/fd.h"
#include "base/result.h"
#include "snapshot/bounds.h"
#include "snapshot/manifest.h"

namespace belljar::snapshot {

enum class Purpose { kTake, kRestore };

struct Found {
  Entry entry;  // of a file: without digest, extents and attributes
  struct stat stat {};
};

// In the order of a manifest; the first is the workspace itself.
Result<std::vector<Found>> Scan(const Fd& workspace, const Bounds& bounds, Purpose purpose);

// An error when a directory is not as it was found: something came, went or was renamed.
Result<> CheckUnmoved(const Fd& workspace, const std::vector<Found>& found);

}  // namespace belljar::snapshot
