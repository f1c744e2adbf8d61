#include <fmt/format.h>

#include <algorithm>

#include "record/verify.h"

namespace belljar::record {
namespace {

class Walk {
 public:
  Walk(const std::string& dir, const LogView& view, SearchCopy* copy, std::uint64_t required)
      : reader_(dir), view_(view), copy_(copy), required_(required) {}

  void Tiles();
  void Pending();
  std::optional<Finding>& first() { return first_; }
  std::uint64_t unindexed() const { return unindexed_; }

 private:
  void TileAt(std::uint64_t number);
  std::vector<Hash> HashesAt(const TileName& name);
  // Appends the record to `records` if it is good.
  void Entry(std::uint64_t index, std::string_view entry, const Hash* expected,
             std::vector<Record>& records);
  void CompareHigherTile(const TileName& name, const std::vector<Hash>& computed);
  void CompareRows(const std::vector<Record>& records);
  void CompareRow(const Record& record, const CopyRow& row);
  void Bad(std::uint64_t index, std::string what) { Note(first_, {index, std::move(what)}); }

  TileReader reader_;
  const LogView& view_;
  SearchCopy* copy_;
  const std::uint64_t required_;
  Edge edge_;
  std::optional<Finding> first_;
  std::uint64_t unindexed_ = 0;
};

// Checks all tiles below the checkpoint. It stops at the first bad record, since findings after it
// would mean nothing.
void Walk::Tiles() {
  const std::uint64_t size = view_.checkpoint.size;
  for (std::uint64_t number = 0; number * kTileWidth < size && !first_; ++number) TileAt(number);
  if (first_) return;
  for (unsigned level = 1; level < 8; ++level) {
    const std::size_t width = EdgeWidth(size, level);
    if (width == 0) continue;
    CompareHigherTile({static_cast<int>(level), (size >> (8 * level)) / kTileWidth, width},
                      edge_.levels()[level]);
  }
  if (!first_ && edge_.Root() != view_.checkpoint.root) {
    Bad(0, fmt::format("the records are not those that were signed: one or more of 0 to {} were "
                       "replaced together with their hashes",
                       size - 1));
  }
}

void Walk::TileAt(std::uint64_t number) {
  const std::uint64_t begin = number * kTileWidth;
  const auto width = std::min<std::uint64_t>(view_.checkpoint.size - begin, kTileWidth);
  const TileName name{TileName::kEntries, number, static_cast<std::size_t>(width)};
  const auto file = reader_.Read(name);
  if (!file) return Bad(begin, file.error().message());
  const std::vector<Hash> hashes = HashesAt({0, number, name.width});
  if (first_) return;
  const Bundle bundle = DecodeEntries(file->bytes, file->name.width);
  std::vector<Record> records;
  for (std::size_t i = 0; i < std::min(bundle.entries.size(), name.width) && !first_; ++i) {
    Entry(begin + i, bundle.entries[i], &hashes[i], records);
  }
  if (!first_ && !bundle.problem.empty()) {
    Bad(begin + std::min(bundle.entries.size(), name.width - 1),
        fmt::format("{}: {}", TilePath(file->name), bundle.problem));
  }
  CompareRows(records);
}

std::vector<Hash> Walk::HashesAt(const TileName& name) {
  const std::uint64_t begin = name.number * kTileWidth;
  const auto file = reader_.Read(name);
  if (!file) {
    Bad(begin, file.error().message());
    return {};
  }
  auto hashes = DecodeHashes(file->bytes, file->name.width);
  if (!hashes) {
    // A tile of the wrong length is reported at the first record that it lacks or has too many.
    const std::size_t whole = std::min(file->bytes.size() / sizeof(Hash), name.width - 1);
    Bad(begin + whole, fmt::format("{}: {}", TilePath(file->name), hashes.error().message()));
    return {};
  }
  return std::move(*hashes);
}

void Walk::Entry(std::uint64_t index, std::string_view entry, const Hash* expected,
                 std::vector<Record>& records) {
  const Hash leaf = LeafHash(entry);
  if (expected != nullptr && leaf != *expected) {
    return Bad(index, fmt::format("its bytes and its hash in {} do not fit together",
                                  TilePath({0, index / kTileWidth})));
  }
  auto record = ParseRecord(entry, index);
  if (!record) return Bad(index, record.error().message());
  records.push_back(std::move(*record));
  for (const Edge::FullTile& tile : edge_.Append(leaf)) {
    if (tile.level > 0) {
      CompareHigherTile({static_cast<int>(tile.level), tile.number, kTileWidth}, tile.hashes);
    }
  }
}

void Walk::CompareHigherTile(const TileName& name, const std::vector<Hash>& computed) {
  const unsigned shift = 8 * static_cast<unsigned>(name.level);
  const std::uint64_t begin = (name.number * kTileWidth) << shift;
  const auto file = reader_.Read(name);
  if (!file) return Bad(begin, file.error().message());
  const auto hashes = DecodeHashes(file->bytes, file->name.width);
  if (!hashes) {
    return Bad(begin, fmt::format("{}: {}", TilePath(file->name), hashes.error().message()));
  }
  for (std::size_t i = 0; i < computed.size(); ++i) {
    if ((*hashes)[i] == computed[i]) continue;
    const std::uint64_t covered = begin + (static_cast<std::uint64_t>(i) << shift);
    return Bad(covered, fmt::format("hash {} of {}, over records {} to {}, is not theirs", i,
                                    TilePath(file->name), covered,
                                    covered + (std::uint64_t{1} << shift) - 1));
  }
}

void Walk::Pending() {
  for (const Batch& batch : view_.pending) {
    std::vector<Record> records;
    for (std::size_t i = 0; i < batch.entries.size() && !first_; ++i) {
      Entry(batch.first + i, batch.entries[i], nullptr, records);
    }
    CompareRows(records);
    if (first_) return;
  }
}

// Compares rows with records. A row may be missing only where the database may not have caught up
// yet.
void Walk::CompareRows(const std::vector<Record>& records) {
  if (copy_ == nullptr || records.empty()) return;
  const auto rows = copy_->Rows(static_cast<std::int64_t>(records.front().index),
                                static_cast<std::int64_t>(records.back().index) + 1);
  if (!rows) {
    return Bad(records.front().index, "its row cannot be read: " + rows.error().message());
  }
  std::size_t next = 0;
  for (const Record& record : records) {
    if (next < rows->size() && (*rows)[next].index == record.index) {
      CompareRow(record, (*rows)[next]);
      ++next;
    } else if (record.index < required_) {
      Bad(record.index, "it is not in the database");
    } else {
      ++unindexed_;
    }
  }
}

void Walk::CompareRow(const Record& record, const CopyRow& row) {
  const auto differs = [&](std::string_view field) {
    Bad(record.index, fmt::format("its \"{}\" in the database is not the record's", field));
  };
  if (row.fields.entry != record.entry) return differs("entry");
  if (row.fields.hash != record.hash) return differs("hash");
  if (row.fields.time_ms != record.time_ms) return differs("time_ms");
  if (row.event != EventName(record.event)) return differs("event");
  if (row.fields.caller != record.caller) return differs("caller");
  if (row.fields.run_id != record.run_id) return differs("run_id");
  if (row.fields.session_id != record.session_id) return differs("session_id");
  if (row.fields.correlation_id != record.correlation_id) return differs("correlation_id");
  if (row.fields.traceparent != record.traceparent) return differs("traceparent");
  if (row.fields.outcome != record.outcome) return differs("outcome");
}

// Finds rows without a record in the log.
void FindStrangeRows(SearchCopy& copy, std::uint64_t size, std::uint64_t extent,
                     std::optional<Finding>& first) {
  const auto negative = copy.Rows(INT64_MIN, 0);
  if (negative && !negative->empty()) {
    Note(first, {{}, "the database has a row with a negative index"});
  }
  if (extent <= size) return;
  // Read in pieces, because an attacker may have inserted any number of rows.
  const auto added =
      copy.Rows(static_cast<std::int64_t>(size), static_cast<std::int64_t>(size) + 1000);
  const std::uint64_t index = added && !added->empty() ? added->front().index : extent - 1;
  Note(first, {index, "the database has it, and the log does not"});
}

}  // namespace

std::optional<Finding> WalkRecords(const std::string& dir, const LogView& view, SearchCopy* copy,
                                   const Moment& moment, std::vector<std::string>& notes) {
  Walk walk(dir, view, copy, moment.required);
  walk.Tiles();
  if (!walk.first()) walk.Pending();
  if (copy != nullptr) FindStrangeRows(*copy, view.size(), moment.extent, walk.first());
  if (walk.unindexed() > 0) {
    notes.push_back(
        fmt::format("{} records are not in the database yet; a running daemon, or the "
                    "next start of one, adds them",
                    walk.unindexed()));
  }
  return walk.first();
}

}  // namespace belljar::record
