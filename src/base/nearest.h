// What a misspelt word probably means.
#pragma once

#include <cstddef>
#include <string_view>

namespace belljar {

// How many single-character insertions, deletions and replacements lead from `a` to `b`.
std::size_t EditDistance(std::string_view a, std::string_view b);

// The one of `known` that is nearest to a misspelt word; empty if none is near.
template <class Names>
std::string_view NearestName(std::string_view wrong, const Names& known) {
  constexpr std::size_t kLongest = 64;
  std::string_view nearest;
  std::size_t least = wrong.size() / 2 + 2;
  if (wrong.size() > kLongest) return nearest;
  for (const std::string_view name : known) {
    const std::size_t distance = EditDistance(wrong, name);
    if (distance < least) {
      least = distance;
      nearest = name;
    }
  }
  return nearest;
}

}  // namespace belljar
