// What a misspelt word probably means.
#pragma once

#include <cstddef>
#include <string_view>

namespace belljar {

// How many single-character insertions, deletions and replacements lead from `a` to `b`.
std::size_t EditDistance(std::string_view a, std::string_view b);

}  // namespace belljar
