// Names that cannot be guessed.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"

namespace belljar {

// `prefix` and 24 random hex digits.
Result<std::string> RandomId(std::string_view prefix);

}  // namespace belljar
