#include "record/merkle.h"

#include <bit>

namespace belljar::record {
namespace {

// The largest power of two below n; n > 1.
std::uint64_t Split(std::uint64_t n) { return std::bit_floor(n - 1); }

// The root over leaves [begin, begin + count); `begin` is a split point as RFC 6962 defines them.
Result<Hash> RangeRoot(std::uint64_t begin, std::uint64_t count, const NodeReader& read) {
  if (std::has_single_bit(count)) {
    const auto height = static_cast<unsigned>(std::countr_zero(count));
    return read(height, begin >> height);
  }
  const std::uint64_t left = Split(count);
  const Hash l = BJ_TRY(RangeRoot(begin, left, read));
  const Hash r = BJ_TRY(RangeRoot(begin + left, count - left, read));
  return NodeHash(l, r);
}

Error WrongRoot(std::string_view which) {
  return Error(Kind::kInvalid, "the proof does not lead to the " + std::string(which) + " root");
}

}  // namespace

Hash RootOf(std::span<const Hash> leaves) {
  if (leaves.empty()) return Sha256::Of("");
  if (leaves.size() == 1) return leaves[0];
  const std::size_t left = Split(leaves.size());
  return NodeHash(RootOf(leaves.first(left)), RootOf(leaves.subspan(left)));
}

std::size_t EdgeWidth(std::uint64_t size, unsigned level) {
  return level >= 8 ? 0 : (size >> (8 * level)) % kTileWidth;
}

Hash Edge::Root() const {
  // The leaves right of a level's full subtrees are fewer than one such subtree has, so RFC 6962
  // splits the level as if the remainder were one more subtree.
  std::vector<Hash> rest;
  for (const auto& level : levels_) {
    std::vector<Hash> row = level;
    if (!rest.empty()) row.push_back(rest[0]);
    if (!row.empty()) rest = {RootOf(row)};
  }
  return RootOf(rest);
}

std::vector<Edge::FullTile> Edge::Append(const Hash& leaf) {
  std::vector<FullTile> full;
  Hash rising = leaf;
  ++size_;
  for (unsigned level = 0;; ++level) {
    if (levels_.size() == level) levels_.emplace_back();
    std::vector<Hash>& row = levels_[level];
    row.push_back(rising);
    if (row.size() < kTileWidth) return full;
    rising = RootOf(row);
    full.push_back({level, (size_ >> (8 * (level + 1))) - 1, std::move(row)});
    row.clear();
  }
}

Result<std::vector<Hash>> InclusionPath(std::uint64_t index, std::uint64_t size,
                                        const NodeReader& read) {
  std::vector<Hash> top_down;
  for (std::uint64_t begin = 0; size > 1;) {
    const std::uint64_t left = Split(size);
    if (index < left) {
      const Hash node = BJ_TRY(RangeRoot(begin + left, size - left, read));
      top_down.push_back(node);
      size = left;
    } else {
      const Hash node = BJ_TRY(RangeRoot(begin, left, read));
      top_down.push_back(node);
      begin += left;
      index -= left;
      size -= left;
    }
  }
  return std::vector<Hash>(top_down.rbegin(), top_down.rend());
}

Result<std::vector<Hash>> ConsistencyPath(std::uint64_t old_size, std::uint64_t size,
                                          const NodeReader& read) {
  std::vector<Hash> top_down;
  std::uint64_t begin = 0;
  // While only left branches were taken, the node is the old root itself, which the verifier has
  // already.
  bool old_root_is_known = true;
  while (old_size != size) {
    const std::uint64_t left = Split(size);
    if (old_size <= left) {
      const Hash node = BJ_TRY(RangeRoot(begin + left, size - left, read));
      top_down.push_back(node);
      size = left;
    } else {
      const Hash node = BJ_TRY(RangeRoot(begin, left, read));
      top_down.push_back(node);
      begin += left;
      old_size -= left;
      size -= left;
      old_root_is_known = false;
    }
  }
  if (!old_root_is_known) {
    const Hash node = BJ_TRY(RangeRoot(begin, size, read));
    top_down.push_back(node);
  }
  return std::vector<Hash>(top_down.rbegin(), top_down.rend());
}

// RFC 9162, 2.1.3.2: `at` and `last` walk from the leaf and from the last leaf up to the root.
Result<> CheckInclusion(const Hash& leaf, std::uint64_t index, std::uint64_t size, const Hash& root,
                        std::span<const Hash> path) {
  if (index >= size) return Error(Kind::kInvalid, "the proof's index is beyond its tree");
  std::uint64_t at = index;
  std::uint64_t last = size - 1;
  Hash hash = leaf;
  for (const Hash& sibling : path) {
    if (last == 0) return Error(Kind::kInvalid, "the proof has more hashes than its tree is high");
    if ((at & 1U) != 0 || at == last) {
      hash = NodeHash(sibling, hash);
      while ((at & 1U) == 0 && at != 0) {
        at >>= 1U;
        last >>= 1U;
      }
    } else {
      hash = NodeHash(hash, sibling);
    }
    at >>= 1U;
    last >>= 1U;
  }
  if (last != 0) return Error(Kind::kInvalid, "the proof has fewer hashes than its tree is high");
  if (hash != root) return WrongRoot("signed");
  return {};
}

// RFC 9162, 2.1.4.2.
Result<> CheckConsistency(std::uint64_t old_size, const Hash& old_root, std::uint64_t size,
                          const Hash& root, std::span<const Hash> path) {
  if (old_size == 0 || old_size > size) {
    return Error(Kind::kInvalid, "a consistency proof leads from a smaller tree to a larger one");
  }
  if (old_size == size) {
    if (!path.empty() || old_root != root) return WrongRoot("later");
    return {};
  }
  std::vector<Hash> hashes(path.begin(), path.end());
  if (std::has_single_bit(old_size)) hashes.insert(hashes.begin(), old_root);
  if (hashes.empty()) return Error(Kind::kInvalid, "the proof is empty");
  std::uint64_t at = old_size - 1;
  std::uint64_t last = size - 1;
  for (; (at & 1U) != 0; at >>= 1U) last >>= 1U;
  Hash older = hashes[0];
  Hash newer = hashes[0];
  for (std::size_t i = 1; i < hashes.size(); ++i) {
    if (last == 0) return Error(Kind::kInvalid, "the proof has more hashes than its tree is high");
    if ((at & 1U) != 0 || at == last) {
      older = NodeHash(hashes[i], older);
      newer = NodeHash(hashes[i], newer);
      for (; (at & 1U) == 0 && at != 0; at >>= 1U) last >>= 1U;
    } else {
      newer = NodeHash(newer, hashes[i]);
    }
    at >>= 1U;
    last >>= 1U;
  }
  if (last != 0) return Error(Kind::kInvalid, "the proof has fewer hashes than its tree is high");
  if (older != old_root) return WrongRoot("earlier");
  if (newer != root) return WrongRoot("later");
  return {};
}

}  // namespace belljar::record
