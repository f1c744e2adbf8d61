// Unguessable identifiers.
#pragma once

#include <string>
#include <string_view>

#include "foundation/base/result.h"

namespace belljar {

// Returns `prefix` followed by 24 random hexadecimal digits.
Result<std::string> RandomId(std::string_view prefix);

}  // namespace belljar
