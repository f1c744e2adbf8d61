#include "record/reader.h"

#include <fmt/format.h>

#include <thread>

#include "record/body_store.h"
#include "record/log.h"
#include "record/proof.h"

namespace belljar::record {
namespace {

constexpr auto kPatience = std::chrono::seconds(5);
constexpr auto kBetweenLooks = std::chrono::milliseconds(100);

}  // namespace

Result<Reader> Reader::Open(const std::string& state_dir, const std::string& database) {
  const LogView view = BJ_TRY(ReadLog(state_dir + "/audit"));
  auto copy = BJ_TRY(SearchCopy::OpenToRead(DatabaseOf(state_dir, database), view.key.name()));
  return Reader(state_dir, database, std::move(copy));
}

Result<std::optional<Record>> Reader::At(std::uint64_t index) {
  const LogView view = BJ_TRY(ReadLog(audit_dir()));
  std::string entry;
  if (index < view.checkpoint.size) {
    const TileReader tiles(audit_dir());
    const auto entries = BJ_TRY(tiles.EntriesFrom(index, view.checkpoint.size));
    entry = entries.front();
  } else if (const std::string* const pending = view.PendingEntry(index)) {
    entry = *pending;
  } else {
    return std::optional<Record>();
  }
  Record record = BJ_TRY(ParseRecord(entry, index).While(fmt::format("record {}", index)));
  return std::optional(std::move(record));
}

Result<std::optional<std::string>> Reader::Body(std::string_view digest) {
  auto body = BJ_TRY(ReadBody(state_dir_, digest));
  if (body) return body;
  const LogView view = BJ_TRY(ReadLog(audit_dir()));
  for (const Batch& batch : view.pending) {
    for (const std::string& bytes : batch.bodies) {
      if (BodyDigest(bytes) == digest) return std::optional(bytes);
    }
  }
  // The body may have moved from the pending file to its own file since the first look.
  return ReadBody(state_dir_, digest);
}

Result<std::string> Reader::Proof(std::uint64_t index) {
  const auto until = std::chrono::steady_clock::now() + kPatience;
  while (true) {
    const LogView view = BJ_TRY(ReadLog(audit_dir()));
    if (index >= view.size()) {
      return Error(Kind::kNotFound, fmt::format("the log has no record {}", index));
    }
    if (index < view.checkpoint.size) {
      const auto proof = BJ_TRY(MakeProof(audit_dir(), index, view.note, view.key));
      return FormatProof(proof);
    }
    Log::Options options;
    options.dir = state_dir_;
    options.database = database_;
    auto log = Log::Open(std::move(options));  // opening the log signs all pending records
    if (!log && log.error().kind() != Kind::kUnavailable) return std::move(log).error();
    if (!log && std::chrono::steady_clock::now() > until) {
      return Error(Kind::kUnavailable,
                   fmt::format("record {} is not under a checkpoint yet: try again", index));
    }
    if (!log) std::this_thread::sleep_for(kBetweenLooks);
  }
}

}  // namespace belljar::record
