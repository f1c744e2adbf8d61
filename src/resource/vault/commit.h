// Commit: carries a program's changes to its copies of host directories back, in one transaction.
//
// A run's vaults are staged (copied) before its code is sent, and committed after its last process
// has ended. The commit of all writable vaults is one transaction with a write-ahead journal. It
// reads the copies, checks that they are within bounds and that the host's files are still those
// that the program saw, and writes the journal. Then it writes each new file beside its place,
// checks the host again, renames the journal to decide the commit, and executes every step. A
// failure before that rename is undone; after it, the commit is completed at the next start
// (recovery.h). Readers on the host see each file old or new, never half.
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

// One vault of a run: the host's directory, the copy in the cell, and the list of copied entries.
struct Staged {
  request::Vault wish;
  HostDir host;
  Fd copy;
  Tree before;
};

// Copies the host's directories into `copies`: empty directories of the guest, one per wish, in the
// same order. None of the vaults may contain or lie in `state_dir`, and a writable one may not
// overlap with any other.
Result<std::vector<Staged>> StageVaults(const std::vector<request::Vault>& wishes,
                                        const std::vector<const Fd*>& copies,
                                        const std::string& state_dir);

// Commits the writable ones of `vaults` together. Returns the changes of each vault in order; they
// are empty for read-only ones. After an error nothing was written, unless the error says
// otherwise. All processes of the cell must have ended.
Result<std::vector<Changes>> CommitVaults(const std::vector<Staged>& vaults,
                                          const std::string& journal_dir,
                                          CrashPoint* crash = nullptr);

}  // namespace belljar::resource::vault
