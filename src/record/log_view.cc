#include "record/log_view.h"

#include <fcntl.h>
#include <fmt/format.h>

#include <algorithm>

#include "foundation/base/sys.h"

namespace belljar::record {
namespace {

constexpr std::size_t kMaxTileBytes = kTileWidth * (kMaxEntryBytes + 2);
constexpr std::size_t kRememberedTiles = 64;
constexpr int kAttempts = 20;

std::uint64_t RowLength(int level, std::uint64_t size) {
  return level <= 0 ? size : size >> (8 * static_cast<unsigned>(level));
}

TileName NameIn(int level, std::uint64_t number, std::uint64_t size) {
  const std::uint64_t rest = RowLength(level, size) - number * kTileWidth;
  return {level, number, static_cast<std::size_t>(std::min<std::uint64_t>(rest, kTileWidth))};
}

Result<std::vector<PendingContent>> ReadPendingFiles(const std::string& dir,
                                                     std::vector<std::string>& problems) {
  std::vector<PendingContent> files;
  for (const std::string_view name : kPendingNames) {
    auto bytes = ReadFile(fmt::format("{}/{}", dir, name), kPendingBytes);
    auto content = bytes ? ReadPending(*bytes) : Result<PendingContent>(bytes.error());
    if (!content) {
      problems.push_back(fmt::format("{}: {}", name, content.error().message()));
      continue;
    }
    files.push_back(std::move(*content));
  }
  return files;
}

void NoteStrays(const std::vector<PendingContent>& files, std::vector<std::string>& problems) {
  for (std::size_t i = 0; i < files.size(); ++i) {
    if (!files[i].stray) continue;
    problems.push_back(
        fmt::format("{}: byte {} belongs to no whole record: a write that was cut "
                    "short and never acknowledged, or damage",
                    i < std::size(kPendingNames) ? kPendingNames[i] : "pending", *files[i].stray));
  }
}

}  // namespace

Result<TileReader::File> TileReader::Read(const TileName& name) const {
  TileName tried = name;
  auto bytes = ReadFile(dir_ + "/" + TilePath(tried), kMaxTileBytes);
  while (!bytes && bytes.error().sys() == ENOENT && tried.width < kTileWidth) {
    ++tried.width;
    bytes = ReadFile(dir_ + "/" + TilePath(tried), kMaxTileBytes);
  }
  if (!bytes) {
    return Error(bytes.error().kind(), fmt::format("{} cannot be read: {}", TilePath(name),
                                                   std::strerror(bytes.error().sys())));
  }
  return File{tried, std::move(*bytes)};
}

Result<std::vector<Hash>> TileReader::Hashes(const TileName& name) {
  if (const auto known = recent_.find(name); known != recent_.end()) return known->second;
  const File file = BJ_TRY(Read(name));
  auto hashes = BJ_TRY(DecodeHashes(file.bytes, file.name.width).While(TilePath(file.name)));
  hashes.resize(name.width);
  if (recent_.size() >= kRememberedTiles) recent_.clear();
  recent_[name] = hashes;
  return hashes;
}

Result<std::vector<std::string>> TileReader::EntriesFrom(std::uint64_t index,
                                                         std::uint64_t size) const {
  const TileName name = NameIn(TileName::kEntries, index / kTileWidth, size);
  const File file = BJ_TRY(Read(name));
  const Bundle bundle = DecodeEntries(file.bytes, file.name.width);
  if (bundle.entries.size() < name.width) {
    return Error(Kind::kInvalid, fmt::format("{}: {}", TilePath(file.name), bundle.problem));
  }
  const auto first = bundle.entries.begin() + static_cast<std::ptrdiff_t>(index % kTileWidth);
  const auto last = bundle.entries.begin() + static_cast<std::ptrdiff_t>(name.width);
  return std::vector<std::string>(first, last);
}

Result<Edge> TileReader::ReadEdge(std::uint64_t size) {
  std::vector<std::vector<Hash>> levels;
  for (int level = 0; RowLength(level, size) > 0 && level < 8; ++level) {
    const std::size_t width = EdgeWidth(size, static_cast<unsigned>(level));
    levels.emplace_back();
    if (width == 0) continue;
    levels.back() = BJ_TRY(Hashes({level, RowLength(level, size) / kTileWidth, width}));
  }
  return Edge(size, std::move(levels));
}

NodeReader TileReader::Nodes(std::uint64_t size) {
  return [this, size](unsigned height, std::uint64_t number) -> Result<Hash> {
    const int level = static_cast<int>(height / 8);
    const std::uint64_t count = std::uint64_t{1} << (height % 8);
    const std::uint64_t first = number * count;
    const auto hashes = BJ_TRY(Hashes(NameIn(level, first / kTileWidth, size)));
    const std::size_t begin = first % kTileWidth;
    if (hashes.size() < begin + count) return Error(Kind::kInternal, "a node beyond its tile");
    return RootOf(std::span(hashes).subspan(begin, count));
  };
}

const std::string* LogView::PendingEntry(std::uint64_t index) const {
  for (const Batch& batch : pending) {
    if (index >= batch.first && index < batch.end()) return &batch.entries[index - batch.first];
  }
  return nullptr;
}

std::vector<Batch> JoinPending(const std::vector<PendingContent>& files, std::uint64_t size,
                               std::vector<std::string>& problems) {
  std::vector<Batch> batches;
  for (const PendingContent& file : files) {
    for (const Batch& batch : file.batches) {
      if (batch.end() > size) batches.push_back(batch);
    }
  }
  std::sort(batches.begin(), batches.end(),
            [](const Batch& a, const Batch& b) { return a.first < b.first; });
  std::uint64_t next = size;
  for (std::size_t i = 0; i < batches.size(); ++i) {
    if (batches[i].first != next) {
      problems.push_back(fmt::format("record {} is missing: behind it are records from {} on", next,
                                     batches[i].first));
      batches.resize(i);
      break;
    }
    next = batches[i].end();
  }
  return batches;
}

Result<std::string> ReadLine(const std::string& path) {
  std::string text = BJ_TRY(ReadFile(path, 4096));
  if (text.find('\n') != text.size() - 1 || text.empty()) {
    return Error(Kind::kInvalid, path + " is not one line of text");
  }
  text.pop_back();
  return text;
}

Result<LogView> ReadLog(const std::string& dir) {
  auto line = ReadLine(dir + "/key.pub");
  if (!line && line.error().sys() == ENOENT) {
    return Error(Kind::kNotFound, "there is no audit log in " + dir);
  }
  const std::string text = BJ_TRY(std::move(line));
  VerifierKey key = BJ_TRY(VerifierKey::Parse(text).While("key.pub"));
  for (int attempt = 1;; ++attempt) {
    std::string before = BJ_TRY(ReadFile(dir + "/checkpoint", 64 << 10));
    LogView view{key, std::move(before), {}, {}, {}, {}};
    view.checkpoint = BJ_TRY(OpenCheckpoint(view.note, key));
    view.files = BJ_TRY(ReadPendingFiles(dir, view.problems));
    view.pending = JoinPending(view.files, view.checkpoint.size, view.problems);
    NoteStrays(view.files, view.problems);
    // If the checkpoint has changed, a concurrent fold may have cleared pending records that the
    // checkpoint read above does not cover: read again.
    const std::string note = BJ_TRY(ReadFile(dir + "/checkpoint", 64 << 10));
    if (note == view.note || attempt == kAttempts) return view;
  }
}

}  // namespace belljar::record
