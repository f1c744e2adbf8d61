// Canonical JSON: one value, one spelling.
//
// Members sorted by the bytes of their names, no white space, strings with as few escapes as JSON
// allows, whole numbers in decimal and others in the shortest form that reads back the same.
#pragma once

#include <string>
#include <string_view>

#include "base/json.h"
#include "base/result.h"

namespace belljar::audit {

// Fails for numbers that JSON cannot write and for strings that are not UTF-8.
Result<std::string> Canonical(const json::value& value);

// The same for a string alone.
Result<std::string> CanonicalString(std::string_view text);

}  // namespace belljar::audit
