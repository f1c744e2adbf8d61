// Commit: what a program wrote to its copies of host directories, carried back whole.
//
// A run's vaults are staged before its code is sent and settled after its last process has ended.
// The commit of all its writable ones is one transaction: read what is staged, see that nothing of
// it is out of bounds and that the host's files are still those the program saw, write the journal,
// write each new file beside its place, look at the host again, and from one rename of the journal
// on carry out every step. Whatever fails before that rename is undone, and after it is finished at
// the next start (recovery.h). Readers of the host see each file old or new, never half.
//
// Not thread-safe; commits of different threads and processes exclude each other by HostLock.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "foundation/base/fd.h"
#include "foundation/base/result.h"
#include "request/vault.h"
#include "resource/vault/host_dir.h"
#include "resource/vault/plan.h"
#include "resource/vault/steps.h"

namespace belljar::resource::vault {

// One vault of a run: the host's directory, the copy in the cell, and what was copied.
struct Staged {
  request::Vault wish;
  HostDir host;
  Fd copy;
  Tree before;
};

// Fills `copies` (empty directories that belong to the guest, one for each wish, in order) from the
// host. `state_dir` may not be seen in any of them, and writable ones may not overlap with others.
Result<std::vector<Staged>> StageVaults(const std::vector<request::Vault>& wishes,
                                        const std::vector<const Fd*>& copies,
                                        const std::string& state_dir);

// Commits the writable ones of `vaults` together; what changed in each, in their order, and nothing
// for the others. An error means that nothing was written, unless it says otherwise. No process of
// the cell may be left.
Result<std::vector<Changes>> CommitVaults(const std::vector<Staged>& vaults,
                                          const std::string& journal_dir,
                                          CrashPoint* crash = nullptr);

}  // namespace belljar::resource::vault
