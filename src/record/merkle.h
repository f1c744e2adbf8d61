// The Merkle tree of RFC 6962, seen through its tiles of 256 hashes.
//
// A tile of level 0 holds the hashes of 256 leaves; a tile of level l holds the roots of 256 full
// tiles of level l-1. Appending needs only the unfinished tile of each level: the Edge. Proofs need
// arbitrary nodes of the tree, which a NodeReader fetches from the tiles.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "foundation/base/result.h"
#include "record/hash.h"

namespace belljar::record {

constexpr std::size_t kTileWidth = 256;

// The root over `leaves` as RFC 6962 defines it. With no leaves it is the SHA-256 of the empty
// string.
Hash RootOf(std::span<const Hash> leaves);

// How many hashes the partial tile of `level` has in a tree of `size` leaves.
std::size_t EdgeWidth(std::uint64_t size, unsigned level);

// The partial tiles at the right edge of a growing tree.
class Edge {
 public:
  // A tile that has just become full.
  struct FullTile {
    unsigned level;
    std::uint64_t number;
    std::vector<Hash> hashes;
  };

  Edge() = default;
  // The edge of a tree of `size` leaves; levels[l] must be EdgeWidth(size, l) hashes.
  Edge(std::uint64_t size, std::vector<std::vector<Hash>> levels)
      : size_(size), levels_(std::move(levels)) {}

  std::uint64_t size() const { return size_; }
  const std::vector<std::vector<Hash>>& levels() const { return levels_; }
  Hash Root() const;

  // Appends a leaf and returns the tiles that became full, lowest level first.
  std::vector<FullTile> Append(const Hash& leaf);

 private:
  std::uint64_t size_ = 0;
  std::vector<std::vector<Hash>> levels_;
};

// The root of the full subtree of 2^height leaves whose first leaf is number * 2^height.
using NodeReader = std::function<Result<Hash>(unsigned height, std::uint64_t number)>;

// The inclusion proof: the hashes that lead from leaf `index` to the root over `size` leaves. index
// < size.
Result<std::vector<Hash>> InclusionPath(std::uint64_t index, std::uint64_t size,
                                        const NodeReader& read);
// The consistency proof: the hashes that show that the tree of `old_size` leaves is a prefix of the
// tree of `size` leaves. 0 < old_size <= size.
Result<std::vector<Hash>> ConsistencyPath(std::uint64_t old_size, std::uint64_t size,
                                          const NodeReader& read);

// Both verify a proof; an error says which of the two roots is not reached.
Result<> CheckInclusion(const Hash& leaf, std::uint64_t index, std::uint64_t size, const Hash& root,
                        std::span<const Hash> path);
Result<> CheckConsistency(std::uint64_t old_size, const Hash& old_root, std::uint64_t size,
                          const Hash& root, std::span<const Hash> path);

}  // namespace belljar::record
