// Tiles: the static files that a log is made of, in the layout of c2sp.org/tlog-tiles.
//
// tile/<L>/<N> holds 256 hashes of level L; tile/entries/<N> holds the entries under tile 0/N, each
// prefixed with its length in two big-endian bytes. The rightmost tile of a level may be partial
// (narrower); it is then named <N>.p/<W>. N is written in groups of three digits: 1234067 is
// x001/x234/067.
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "foundation/base/result.h"
#include "record/merkle.h"

namespace belljar::record {

constexpr std::size_t kMaxEntryBytes = 65'535;

struct TileName {
  int level = 0;  // kEntries, or 0 to 7
  std::uint64_t number = 0;
  std::size_t width = kTileWidth;  // 1 to 256

  static constexpr int kEntries = -1;
  auto operator<=>(const TileName&) const = default;
};

// The path of a tile, such as "tile/0/x001/x234/067.p/5".
std::string TilePath(const TileName& name);
// Returns nullopt unless `path` is the canonical path of a tile.
std::optional<TileName> ParseTilePath(std::string_view path);

// All tiles of a log of `size` entries: for each level the full ones, then the partial one.
std::vector<TileName> TilesOf(std::uint64_t size);

std::string EncodeHashes(const std::vector<Hash>& hashes);
Result<std::vector<Hash>> DecodeHashes(std::string_view bytes, std::size_t width);

// `entry` must be at most kMaxEntryBytes long.
void AppendEntry(std::string& bundle, std::string_view entry);

struct Bundle {
  std::vector<std::string_view> entries;  // the entries before the problem
  std::string problem;  // empty if the tile holds exactly `width` entries and nothing after them
};
Bundle DecodeEntries(std::string_view bundle, std::size_t width);

}  // namespace belljar::record
