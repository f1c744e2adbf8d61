// Bounds: how much of a workspace a snapshot carries. The guest owns the tree and would like it to
// be endless; beyond a bound nothing is taken, and the error names the bound.
#pragma once

#include <cstddef>
#include <cstdint>

namespace belljar::run::snapshot {

struct Bounds {
  std::size_t entries = 100'000;
  std::size_t depth = 128;
  std::uint64_t bytes = std::uint64_t{4} << 30;         // of data; holes cost nothing
  std::size_t extents = 200'000;                        // pieces of data between holes
  std::size_t path_bytes = std::size_t{32} << 20;       // of all paths and link texts together
  std::size_t xattr_bytes = std::size_t{4} << 20;       // names and values, all together
  std::uint64_t store_bytes = std::uint64_t{64} << 30;  // of everything that is kept
};

}  // namespace belljar::run::snapshot
