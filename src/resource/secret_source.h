// Reads secrets that a policy refers to but does not contain, from the daemon's environment or from
// files.
#pragma once

#include <string>

#include "foundation/base/result.h"

namespace belljar::resource {

// The value of an environment variable of the daemon.
Result<std::string> OwnVariable(const std::string& name);

// The single line that "env:NAME" or "file:/PATH" refers to.
Result<std::string> ReadSecret(const std::string& from);

}  // namespace belljar::resource
