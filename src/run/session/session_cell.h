// Checks and file input that apply both to a session's creation and to each of its statements.
#pragma once

#include <vector>

#include "foundation/base/fd.h"
#include "foundation/base/result.h"
#include "request/request.h"

namespace belljar::run {

// Refuses vaults: a session has no end at which its writes to vaults could be judged.
Result<> RefuseVaults(const request::Request& request);

// Puts files into the workspace, replacing existing ones; in a fresh cell there are none.
Result<> PutFilesOver(const Fd& workspace, const std::vector<request::InputFile>& files);

}  // namespace belljar::run
