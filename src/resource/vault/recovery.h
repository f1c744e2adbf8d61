// Recovery: completes or undoes the commits whose journals a crash has left (write-ahead log).
//
// Called at every start, and before vaults are copied. Journals of living processes are locked and
// left alone. A journal that cannot be processed (its directory is not mounted, the disk is full)
// stays. Until it is processed, its vaults cannot be used, because they may be in a state between
// old and new.
#pragma once

#include <string>
#include <vector>

#include "foundation/base/result.h"
#include "resource/vault/steps.h"

namespace belljar::resource::vault {

struct Recovered {
  std::vector<std::string> hosts;
  std::string sentence;  // what was done, or why it was not possible
  bool pending = false;  // the journal could not be processed
};

Result<std::vector<Recovered>> Recover(const std::string& journal_dir, CrashPoint* crash = nullptr);

}  // namespace belljar::resource::vault
