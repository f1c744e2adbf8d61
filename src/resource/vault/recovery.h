// Recovery: the journals that a crash has left, finished or undone.
//
// Called at every start, and before vaults are copied. Journals of living processes are locked, and
// left alone. One that cannot be worked off (its directory is not mounted, the disk is full) stays,
// and as long as it does its vaults are not shown to anyone: they may be half of one state and half
// of another.
#pragma once

#include <string>
#include <vector>

#include "foundation/base/result.h"
#include "resource/vault/steps.h"

namespace belljar::resource::vault {

struct Recovered {
  std::vector<std::string> hosts;
  std::string sentence;  // what was done, or why it could not be
  bool pending = false;  // it could not
};

Result<std::vector<Recovered>> Recover(const std::string& journal_dir, CrashPoint* crash = nullptr);

}  // namespace belljar::resource::vault
