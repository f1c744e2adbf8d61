// Canonical JSON: exactly one spelling for each value, so that equal values have equal hashes.
//
// Members are sorted by the bytes of their names; there is no white space; strings have as few
// escapes as JSON allows; whole numbers are decimal, and others have the shortest form that reads
// back the same.
#pragma once

#include <string>
#include <string_view>

#include "foundation/base/json.h"
#include "foundation/base/result.h"

namespace belljar::record {

// Fails for numbers that JSON cannot express and for strings that are not UTF-8.
Result<std::string> Canonical(const json::value& value);

// The canonical form of a single string.
Result<std::string> CanonicalString(std::string_view text);

}  // namespace belljar::record
