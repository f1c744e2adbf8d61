// What a session's cell takes at its beginning and with each of its statements alike.
#pragma once

#include <vector>

#include "base/fd.h"
#include "base/result.h"
#include "policy/request.h"

namespace belljar::engine {

// A session has no end at which its writes to vaults could be judged.
Result<> RefuseVaults(const policy::Request& request);

// Unlike those of a fresh cell, the files of a statement may find others in their place.
Result<> PutFilesOver(const Fd& workspace, const std::vector<policy::InputFile>& files);

}  // namespace belljar::engine
