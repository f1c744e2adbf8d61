// Plan: which entries of a tree can stay when it is made equal to a snapshot. Pure; touches
// nothing.
//
// A file that still exists under its name keeps its inode, even if its content has to be written
// again: the interpreter of a checkpoint has files open, and its descriptors must refer to the same
// files as the names.
#pragma once

#include <vector>

#include "run/snapshot/manifest.h"
#include "run/snapshot/scan.h"

namespace belljar::run::snapshot {

struct Plan {
  // For each wanted entry the existing one that stays, or null if it has to be created.
  std::vector<const Found*> stays;
  // Entries to remove, in an order in which that is possible.
  std::vector<const Found*> goes;
};

// `there` must outlive the plan.
Plan MakePlan(const std::vector<Entry>& wanted, const std::vector<Found>& there);

}  // namespace belljar::run::snapshot
