// Line diffs: what changed from one text to another, in the format of `diff -u`.
//
// Myers' algorithm, with a bound on the number of changes it looks for: texts that have little in
// common are shown as one text removed and the other added, in linear time.
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

// The diff; empty if the texts are equal. A diff longer than kMaxDiffBytes is cut, with a note that
// says so.
std::string UnifiedDiff(std::string_view before, std::string_view after, const DiffNames& names);

}  // namespace belljar
