#include "foundation/tree/path.h"

#include <algorithm>

namespace belljar::tree {

LinkFault FaultOfLink(std::string_view path, std::string_view target) {
  if (target.starts_with('/')) return LinkFault::kAbsolute;
  auto depth = std::ranges::count(path, '/');
  bool descending = false;
  for (std::size_t begin = 0; begin <= target.size();) {
    const std::size_t end = std::min(target.find('/', begin), target.size());
    const std::string_view part = target.substr(begin, end - begin);
    begin = end + 1;
    if (part.empty() || part == ".") continue;
    descending = descending || part != "..";
    if (part != "..") continue;
    if (descending) return LinkFault::kBehindAName;
    if (--depth < 0) return LinkFault::kLeaves;
  }
  return LinkFault::kNone;
}

}  // namespace belljar::tree
