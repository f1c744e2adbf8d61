// What a session's cell takes at its beginning and with each of its statements alike.
#pragma once

#include <vector>

#include "foundation/base/fd.h"
#include "foundation/base/result.h"
#include "request/request.h"

namespace belljar::run {

// A session has no end at which its writes to vaults could be judged.
Result<> RefuseVaults(const request::Request& request);

// Unlike those of a fresh cell, the files of a statement may find others in their place.
Result<> PutFilesOver(const Fd& workspace, const std::vector<request::InputFile>& files);

}  // namespace belljar::run
