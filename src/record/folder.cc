#include "record/folder.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <set>

#include "foundation/base/sys.h"
#include "record/log_view.h"
#include "record/tile.h"

namespace belljar::record {
namespace {

// The partial tiles of a log of `size` entries: at most one in each level.
std::set<TileName> NarrowTiles(std::uint64_t size) {
  std::set<TileName> narrow;
  const auto add = [&](int level, std::uint64_t row) {
    if (row % kTileWidth > 0) {
      narrow.insert({level, row / kTileWidth, static_cast<std::size_t>(row % kTileWidth)});
    }
  };
  add(TileName::kEntries, size);
  for (unsigned level = 0; level < 8; ++level) add(static_cast<int>(level), size >> (8 * level));
  return narrow;
}

NewFile TileFile(const TileName& name, std::string bytes) {
  return {"audit/" + TilePath(name), std::move(bytes)};
}

// Appends `entry`, and adds the tiles that became full by it to `fresh`.
void AddFullTiles(Edge& edge, std::string& bundle, const std::string& entry,
                  std::vector<NewFile>& fresh) {
  AppendEntry(bundle, entry);
  for (const Edge::FullTile& tile : edge.Append(LeafHash(entry))) {
    fresh.push_back(
        TileFile({static_cast<int>(tile.level), tile.number}, EncodeHashes(tile.hashes)));
    if (tile.level > 0) continue;
    fresh.push_back(TileFile({TileName::kEntries, tile.number}, std::move(bundle)));
    bundle.clear();
  }
}

void AddNarrowTiles(const Edge& edge, const std::string& bundle, std::uint64_t old_size,
                    std::vector<NewFile>& fresh) {
  const std::set<TileName> old = NarrowTiles(old_size);
  for (const TileName& name : NarrowTiles(edge.size())) {
    if (old.contains(name)) continue;
    fresh.push_back(
        TileFile(name, name.level == TileName::kEntries
                           ? bundle
                           : EncodeHashes(edge.levels()[static_cast<std::size_t>(name.level)])));
  }
}

}  // namespace

Result<> WriteCheckpoint(const LogFiles& files, const std::string& state_dir, const SigningKey& key,
                         const Checkpoint& checkpoint) {
  const std::string note = BJ_TRY(SignCheckpoint(checkpoint, key));
  const NewFile fresh{"audit/checkpoint", note};
  return ReplaceFiles(files, state_dir, std::span(&fresh, 1));
}

Result<Folder> Folder::Open(const LogFiles& files, const std::string& state_dir, SigningKey key,
                            const Checkpoint& checkpoint) {
  TileReader reader(state_dir + "/audit");
  Edge edge = BJ_TRY(reader.ReadEdge(checkpoint.size));
  if (edge.Root() != checkpoint.root) {
    return Error(Kind::kInvalid,
                 "the tiles do not lead to the root that the last checkpoint has signed");
  }
  std::string bundle;
  if (const std::size_t width = checkpoint.size % kTileWidth; width > 0) {
    const TileName name{TileName::kEntries, checkpoint.size / kTileWidth, width};
    const auto file = BJ_TRY(reader.Read(name));
    const Bundle entries = DecodeEntries(file.bytes, file.name.width);
    for (std::size_t i = 0; i < width; ++i) {
      if (i >= entries.entries.size() || LeafHash(entries.entries[i]) != edge.levels()[0][i]) {
        return Error(Kind::kInvalid, fmt::format("record {} is not the one that was signed",
                                                 checkpoint.size - width + i));
      }
      AppendEntry(bundle, entries.entries[i]);
    }
  }
  return Folder(files, state_dir, std::move(key), std::move(edge), std::move(bundle));
}

Result<> Folder::Fold(std::span<const std::string> entries, std::vector<NewFile> bodies) {
  Edge edge = edge_;
  std::string bundle = bundle_;
  std::vector<NewFile> fresh = std::move(bodies);
  for (const std::string& entry : entries) AddFullTiles(edge, bundle, entry, fresh);
  AddNarrowTiles(edge, bundle, edge_.size(), fresh);
  BJ_TRY(ReplaceFiles(*files_, state_dir_, fresh));
  BJ_TRY(WriteCheckpoint(*files_, state_dir_, key_,
                         {key_.verifier().name(), edge.size(), edge.Root()}));
  const std::uint64_t old_size = edge_.size();
  edge_ = std::move(edge);
  bundle_ = std::move(bundle);
  // The checkpoint is signed, so a failure to remove old tiles is ignored; the next start removes
  // them.
  const auto removed = RemoveReplaced(old_size);
  static_cast<void>(removed);
  return {};
}

Result<> Folder::RemoveReplaced(std::uint64_t old_size) const {
  const std::set<TileName> now = NarrowTiles(edge_.size());
  for (const TileName& name : NarrowTiles(old_size)) {
    if (now.contains(name)) continue;
    const std::string path = state_dir_ + "/audit/" + TilePath(name);
    BJ_TRY(files_->Remove(path));
    // Removes the directory only if it is empty.
    std::error_code ignored;
    std::filesystem::remove(path.substr(0, path.rfind('/')), ignored);
  }
  return {};
}

Result<> Folder::RemoveLeftovers() const {
  const std::set<TileName> narrow = NarrowTiles(edge_.size());
  const std::string top = state_dir_ + "/audit/";
  std::vector<std::string> useless;
  std::error_code error;
  for (auto it = std::filesystem::recursive_directory_iterator(top, error);
       !error && it != std::filesystem::recursive_directory_iterator(); it.increment(error)) {
    if (it->is_directory(error)) continue;
    const std::string path = it->path().native();
    const auto name = ParseTilePath(path.substr(top.size()));
    const bool replaced = name && name->width < kTileWidth && !narrow.contains(*name);
    if (replaced || path.ends_with(kUnfinished)) useless.push_back(path);
  }
  if (error) return SysError("read", top, error.value());
  for (const std::string& path : useless) {
    BJ_TRY(files_->Remove(path));
    std::filesystem::remove(path.substr(0, path.rfind('/')), error);  // only if it is empty
  }
  return {};
}

}  // namespace belljar::record
