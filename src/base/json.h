// JSON, by Boost.JSON, wrapped once: bounded depth, errors as Results.
#pragma once

#include <boost/json.hpp>
#include <string>
#include <string_view>

#include "base/result.h"

namespace belljar {

namespace json = boost::json;

constexpr std::size_t kMaxJsonDepth = 64;

// Whether numbers beyond the range of a double are taken, as infinity: by who tells of them in
// words of its own.
enum class Numbers { kFinite, kAny };

// Parses one whole document: valid UTF-8, at most `max_depth` levels deep, nothing after it.
Result<json::value> ParseJson(std::string_view text, std::size_t max_depth = kMaxJsonDepth,
                              Numbers numbers = Numbers::kFinite);

}  // namespace belljar
