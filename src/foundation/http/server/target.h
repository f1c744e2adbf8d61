// Parses the target of a request ("/v1/runs?limit=3") with Boost.URL.
//
// Percent-encoding is decoded exactly once, after the path has been split. Ambiguous targets are
// refused rather than normalised: "." and "..", empty segments, an encoded "/", control characters,
// bytes that are not UTF-8. One trailing "/" is ignored.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "foundation/base/result.h"

namespace belljar::http::server {

struct Target {
  std::string path;
  std::vector<std::string> segments;
  std::multimap<std::string, std::string> query;  // "+" means a space, as in forms
};

constexpr std::size_t kMostSegments = 256;
constexpr std::size_t kMostQueryParameters = 100;

Result<Target> ParseTarget(std::string_view target);

}  // namespace belljar::http::server
