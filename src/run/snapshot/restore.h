// Restore: makes a workspace equal to a snapshot.
//
// First everything is looked at and nothing touched: the tree as it is, the blobs that will be
// needed. Then what is too much goes, so that there is room; then what is missing is made; then
// directories get their times and permissions, from the bottom up. A guest that gets in the way is
// never followed: a place that is not what it was found to be ends the work with an error, and the
// workspace is then neither the one nor the other.
#pragma once

#include <sys/types.h>

#include <vector>

#include "foundation/base/fd.h"
#include "foundation/base/result.h"
#include "run/snapshot/blobs.h"
#include "run/snapshot/bounds.h"
#include "run/snapshot/manifest.h"
#include "run/snapshot/memory.h"
#include "run/snapshot/plan.h"

namespace belljar::run::snapshot {

struct Owner {
  uid_t uid = 0;
  gid_t gid = 0;
};

class Restorer {
 public:
  Restorer(const Fd& workspace, const std::vector<Entry>& wanted, const Blobs& blobs, Owner owner)
      : workspace_(workspace), wanted_(wanted), blobs_(blobs), owner_(owner) {}

  // Looks and verifies; the workspace is as before, but that directories closed to their owner are
  // opened.
  Result<> Prepare(const Bounds& bounds, Memory& memory);
  // Does it. After a failure the workspace is of no use.
  Result<> Apply();

 private:
  Result<bool> HasContent(const Entry& entry, const Found* found, Allowance& allowance,
                          Memory& memory);
  Result<> VerifyBlobs() const;

  Result<> Remove(const Found& found);
  Result<> Empty(const Found& found);
  Result<> Make(std::size_t index);
  Result<> MakeFile(std::size_t index);
  Result<> MakeLink(const Entry& entry);
  Result<> FinishSymlink(const Entry& entry);
  Result<> WriteContent(const Fd& place, const Entry& entry);
  Result<> Finish(const Fd& place, const Entry& entry);

  // The directory that `path` is in. The last one stays open: neighbours come one after another.
  Result<const Fd*> ParentOfPlace(const std::string& path);

  const Fd& workspace_;
  const std::vector<Entry>& wanted_;
  const Blobs& blobs_;
  const Owner owner_;
  std::vector<Found> there_;
  Plan plan_;
  std::vector<bool> has_content_;  // for each wanted entry
  std::string parent_path_;
  Fd parent_;
};

}  // namespace belljar::run::snapshot
