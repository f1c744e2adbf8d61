// What has changed from one text to another, line by line, as `diff -u` shows it.
//
// Myers' algorithm, with a bound on the number of changes it looks for: texts that have little in
// common are shown as one taken away and the other put in its place, in linear time.
#pragma once

#include <string>
#include <string_view>

namespace belljar {

constexpr std::size_t kMaxDiffChanges = 1'000;
constexpr std::size_t kMaxDiffBytes = 256 << 10;

struct DiffNames {
  std::string_view before;
  std::string_view after;
};

// Empty if the texts are equal. Longer ones than kMaxDiffBytes are cut, and say so.
std::string UnifiedDiff(std::string_view before, std::string_view after, const DiffNames& names);

}  // namespace belljar
