// Plan: what of a tree can stay when it is made equal to a snapshot. Pure; touches nothing.
//
// A file that is still there under its name keeps its inode, even when its content has to be
// written again: the interpreter of a checkpoint has files open, and they must stay the files that
// the names lead to.
#pragma once

#include <vector>

#include "run/snapshot/manifest.h"
#include "run/snapshot/scan.h"

namespace belljar::run::snapshot {

struct Plan {
  // For each wanted entry what is there and stays, or null: it has to be made.
  std::vector<const Found*> stays;
  // What has to go, in an order in which it can.
  std::vector<const Found*> goes;
};

// `there` must outlive the plan.
Plan MakePlan(const std::vector<Entry>& wanted, const std::vector<Found>& there);

}  // namespace belljar::run::snapshot
