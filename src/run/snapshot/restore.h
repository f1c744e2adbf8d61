// Restore: makes a workspace equal to a snapshot.
//
// First, Prepare() examines the existing tree and the needed blobs without changing anything. Then
// Apply() removes surplus entries, so that there is room, creates what is missing, and sets times
// and permissions of directories from the bottom up. If the guest interferes, nothing is followed:
// a place that differs from what was found ends the restore with an error, and the workspace is
// then neither the old nor the new one.
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

  // Examines and verifies; changes nothing in the workspace, except that directories without owner
  // permissions are made accessible.
  Result<> Prepare(const Bounds& bounds, Memory& memory);
  // Makes the changes. After a failure the workspace is unusable.
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

  // The parent directory of `path`. The last one is cached, because neighbours follow each other.
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
