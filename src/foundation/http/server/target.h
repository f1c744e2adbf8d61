// The target of a request ("/v1/runs?limit=3") taken apart, by Boost.URL.
//
// Percent-encoding is undone exactly once, after the path has been split, and what could mean two
// things is refused rather than normalised: "." and "..", empty segments, an encoded "/", control
// characters, bytes that are not UTF-8. One "/" at the end says nothing and is dropped.
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
  std::multimap<std::string, std::string> query;  // "+" is a space, as forms have it
};

constexpr std::size_t kMostSegments = 256;
constexpr std::size_t kMostQueryParameters = 100;

Result<Target> ParseTarget(std::string_view target);

}  // namespace belljar::http::server
