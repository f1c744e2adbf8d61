// JSON parsing: a wrapper of Boost.JSON with bounded depth and errors as Results.
#pragma once

#include <boost/json.hpp>
#include <string>
#include <string_view>

#include "foundation/base/result.h"

namespace belljar {

namespace json = boost::json;

constexpr std::size_t kMaxJsonDepth = 64;

// Whether a number beyond the range of a double is accepted and parsed as infinity. kAny is for
// callers that report such numbers with an error message of their own (json_scan.h).
enum class Numbers { kFinite, kAny };

// Parses one whole document: valid UTF-8, nested at most `max_depth` levels deep, with nothing
// after it.
Result<json::value> ParseJson(std::string_view text, std::size_t max_depth = kMaxJsonDepth,
                              Numbers numbers = Numbers::kFinite);

}  // namespace belljar
