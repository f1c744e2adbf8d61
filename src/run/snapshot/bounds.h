// Bounds: the limits of a snapshot. The guest owns the tree and could make it arbitrarily large; a
// tree beyond a bound is refused, and the error names the bound.
#pragma once

#include <cstddef>
#include <cstdint>

namespace belljar::run::snapshot {

struct Bounds {
  std::size_t entries = 100'000;
  std::size_t depth = 128;
  std::uint64_t bytes = std::uint64_t{4} << 30;         // of data; holes are not counted
  std::size_t extents = 200'000;                        // pieces of data between holes
  std::size_t path_bytes = std::size_t{32} << 20;       // of all paths and link texts together
  std::size_t xattr_bytes = std::size_t{4} << 20;       // names and values, all together
  std::uint64_t store_bytes = std::uint64_t{64} << 30;  // of everything in the store
};

}  // namespace belljar::run::snapshot
