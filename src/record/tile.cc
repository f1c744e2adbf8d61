#include "record/tile.h"

#include <fmt/format.h>

#include "foundation/base/bytes.h"

namespace belljar::record {
namespace {

constexpr int kTopLevel = 7;  // 256^8 leaves exhaust a 64-bit count

// Parses exactly three digits; nullopt for anything else.
std::optional<unsigned> ThreeDigits(std::string_view text) {
  if (text.size() != 3) return {};
  unsigned value = 0;
  for (const char c : text) {
    if (c < '0' || c > '9') return {};
    value = value * 10 + static_cast<unsigned>(c - '0');
  }
  return value;
}

std::string NumberPath(std::uint64_t number) {
  std::string path = fmt::format("{:03}", number % 1000);
  for (number /= 1000; number > 0; number /= 1000) {
    path = fmt::format("x{:03}/", number % 1000) + path;
  }
  return path;
}

std::optional<std::uint64_t> ParseNumberPath(std::string_view path) {
  std::uint64_t number = 0;
  while (path.starts_with('x')) {
    const auto group = ThreeDigits(path.substr(1, path.find('/') - 1));
    if (!group || path.size() < 5 || number > (UINT64_MAX >> 20U)) return {};
    number = number * 1000 + *group;
    path.remove_prefix(5);
  }
  const auto last = ThreeDigits(path);
  if (!last) return {};
  return number * 1000 + *last;
}

std::optional<std::size_t> ParseWidth(std::string_view text) {
  std::size_t width = 0;
  if (text.empty() || text.size() > 3 || text[0] == '0') return {};
  for (const char c : text) {
    if (c < '0' || c > '9') return {};
    width = width * 10 + static_cast<std::size_t>(c - '0');
  }
  if (width >= kTileWidth) return {};
  return width;
}

}  // namespace

std::string TilePath(const TileName& name) {
  const std::string row =
      name.level == TileName::kEntries ? "entries" : fmt::format("{}", name.level);
  std::string path = fmt::format("tile/{}/{}", row, NumberPath(name.number));
  if (name.width < kTileWidth) path += fmt::format(".p/{}", name.width);
  return path;
}

std::optional<TileName> ParseTilePath(std::string_view path) {
  TileName name;
  if (path.starts_with("tile/entries/")) {
    name.level = TileName::kEntries;
    path.remove_prefix(13);
  } else if (path.size() > 7 && path.starts_with("tile/") && path[5] >= '0' &&
             path[5] <= '0' + kTopLevel && path[6] == '/') {
    name.level = path[5] - '0';
    path.remove_prefix(7);
  } else {
    return {};
  }
  if (const std::size_t narrow = path.find(".p/"); narrow != std::string_view::npos) {
    const auto width = ParseWidth(path.substr(narrow + 3));
    if (!width) return {};
    name.width = *width;
    path = path.substr(0, narrow);
  }
  const auto number = ParseNumberPath(path);
  // Rejects leading groups of zeros, which would give one tile several names.
  if (!number || NumberPath(*number) != path) return {};
  name.number = *number;
  return name;
}

std::vector<TileName> TilesOf(std::uint64_t size) {
  std::vector<TileName> tiles;
  const auto add_row = [&](int level, std::uint64_t hashes) {
    for (std::uint64_t n = 0; n < hashes / kTileWidth; ++n) tiles.push_back({level, n, kTileWidth});
    if (const std::size_t rest = hashes % kTileWidth; rest > 0) {
      tiles.push_back({level, hashes / kTileWidth, rest});
    }
  };
  add_row(TileName::kEntries, size);
  for (int level = 0; level <= kTopLevel && (size >> (8 * level)) > 0; ++level) {
    add_row(level, size >> (8 * level));
  }
  return tiles;
}

std::string EncodeHashes(const std::vector<Hash>& hashes) {
  std::string bytes;
  bytes.reserve(hashes.size() * sizeof(Hash));
  for (const Hash& hash : hashes) bytes += Bytes(hash);
  return bytes;
}

Result<std::vector<Hash>> DecodeHashes(std::string_view bytes, std::size_t width) {
  if (bytes.size() != width * sizeof(Hash)) {
    return Error(Kind::kInvalid, fmt::format("{} bytes where {} hashes take {}", bytes.size(),
                                             width, width * sizeof(Hash)));
  }
  std::vector<Hash> hashes;
  hashes.reserve(width);
  for (; !bytes.empty(); bytes.remove_prefix(sizeof(Hash))) {
    hashes.push_back(FromBytes(bytes.substr(0, sizeof(Hash))));
  }
  return hashes;
}

void AppendEntry(std::string& bundle, std::string_view entry) {
  BigWriter(bundle).PutText<std::uint16_t>(entry);
}

Bundle DecodeEntries(std::string_view bundle, std::size_t width) {
  Bundle decoded;
  while (decoded.entries.size() < width) {
    const std::size_t length =
        bundle.size() < 2 ? 0 : LoadNumber(ByteOrder::kBig, bundle.substr(0, 2));
    if (bundle.size() < 2 + length) {
      decoded.problem = fmt::format("it ends in entry {} of {}", decoded.entries.size(), width);
      return decoded;
    }
    decoded.entries.push_back(bundle.substr(2, length));
    bundle.remove_prefix(2 + length);
  }
  if (!bundle.empty()) decoded.problem = fmt::format("{} bytes after its end", bundle.size());
  return decoded;
}

}  // namespace belljar::record
