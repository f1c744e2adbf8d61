// Secrets of the operator's that a policy names and does not hold: they stand in a variable of the
// daemon's environment or in a file.
#pragma once

#include <string>

#include "base/result.h"

namespace belljar::broker {

// The value of a variable of the daemon's own.
Result<std::string> OwnVariable(const std::string& name);

// The one line that "env:NAME" or "file:/PATH" holds.
Result<std::string> ReadSecret(const std::string& from);

}  // namespace belljar::broker
