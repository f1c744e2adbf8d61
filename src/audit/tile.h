// Tiles: the static files that a log is made of, in the layout of c2sp.org/tlog-tiles.
//
// tile/<L>/<N> holds 256 hashes of level L; tile/entries/<N> holds the entries under tile 0/N, each
// behind its length in two bytes, big end first. The rightmost one of a row may be narrower and is
// then called <N>.p/<W>. N is written in groups of three digits: 1234067 is x001/x234/067.
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "audit/merkle.h"
#include "base/result.h"

namespace belljar::audit {

constexpr std::size_t kMaxEntryBytes = 65'535;

struct TileName {
  int level = 0;  // kEntries, or 0 to 7
  std::uint64_t number = 0;
  std::size_t width = kTileWidth;  // 1 to 256

  static constexpr int kEntries = -1;
  auto operator<=>(const TileName&) const = default;
};

// "tile/0/x001/x234/067.p/5".
std::string TilePath(const TileName& name);
// Nothing unless `path` is what TilePath makes of some name.
std::optional<TileName> ParseTilePath(std::string_view path);

// Every tile of a log of `size` entries: of each row the full ones, then the narrow one.
std::vector<TileName> TilesOf(std::uint64_t size);

std::string EncodeHashes(const std::vector<Hash>& hashes);
Result<std::vector<Hash>> DecodeHashes(std::string_view bytes, std::size_t width);

// Entry must be at most kMaxEntryBytes long.
void AppendEntry(std::string& bundle, std::string_view entry);

struct Bundle {
  std::vector<std::string_view> entries;  // those before the problem
  std::string problem;                    // empty: exactly `width` entries and nothing after them
};
Bundle DecodeEntries(std::string_view bundle, std::size_t width);

}  // namespace belljar::audit
