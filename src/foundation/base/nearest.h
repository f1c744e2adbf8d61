// Suggestions for misspelt words.
#pragma once

#include <cstddef>
#include <string_view>

namespace belljar {

// The Levenshtein distance: how many insertions, deletions and replacements of single characters
// lead from `a` to `b`.
std::size_t EditDistance(std::string_view a, std::string_view b);

// The name in `known` that is nearest to a misspelt word; empty if none is near.
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
