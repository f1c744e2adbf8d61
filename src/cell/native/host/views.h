// Views: the artefacts of a cell as detached mounts, ready to be attached inside it.
//
// When the supervisor is root, it makes views here; for an ordinary user the binder makes them
// (binder.cc), which is started at the first need. A view shows the inode that the caller has open.
// It is made read-only, nosuid, nodev and noexec before it leaves this class.
//
// Thread-safe.
#pragma once

#include <mutex>
#include <vector>

#include "cell/backend.h"
#include "cell/native/host/process.h"
#include "cell/native/launcher/orders.h"

namespace belljar::cell::native {

class Views {
 public:
  explicit Views(Identity identity, StepMask off = 0) : identity_(identity), off_(off) {}

  // Returns the views in the order of the spec.
  Result<std::vector<Fd>> Of(const CellSpec& spec);

 private:
  Result<Fd> Make(const ArtefactSpec& artefact);
  Result<Fd> AskBinder(const ArtefactSpec& artefact);
  Result<> StartBinder();

  const Identity identity_;
  const StepMask off_;
  std::mutex mutex_;  // one order at a time
  Process binder_;
  Fd orders_;
};

}  // namespace belljar::cell::native
