// Pending: records that are durable and not yet in tiles.
//
// A log must answer "it is written" within a fraction of a millisecond, and tiles, which are
// replaced whole, take a dozen turns of the disk. So records first go into a file of fixed size
// that was filled with zeros when it was made: writing over blocks that a file already has changes
// no metadata, and to wait for the disk costs a single write. Records written together are one
// batch. Small bodies ride along, so that they need no turn of their own. There are two such files:
// while one is folded into tiles the other takes the new records.
//
//   block 0:  "BJPEND1\n", 32 random bytes, SHA-256 of these 40 bytes, zeros
//   batch:    "BJBATCH1", first index, indexed (8 bytes each), entries, bodies (4 bytes each),
//             payload length (8 bytes), digest (32 bytes), payload, zeros up to a block's end
//   payload:  entries as in an entry tile; bodies, each behind its length in 4 bytes
//
// Numbers have the big end first; a block is 512 bytes. The digest is SHA-256 of the file's random
// bytes, the header before the digest, and the payload. The random bytes keep a guest, whose
// output is in the payload, from writing bytes that look like a batch. Everything else is zero.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "audit/files.h"
#include "base/fd.h"
#include "base/result.h"

namespace belljar::audit {

constexpr std::size_t kPendingBytes = 4 << 20;
constexpr std::size_t kMaxInlineBodyBytes = 64 << 10;
inline constexpr std::string_view kPendingNames[] = {"pending-a", "pending-b"};

struct Batch {
  std::uint64_t first = 0;    // the index of its first entry
  std::uint64_t indexed = 0;  // so many records were in the database when it was written
  std::vector<std::string> entries;
  std::vector<std::string> bodies;

  std::uint64_t end() const { return first + entries.size(); }
};

std::string EncodeBatch(const Batch& batch, std::string_view nonce);

// What a pending file holds.
struct PendingContent {
  std::string nonce;
  std::vector<Batch> batches;          // in the order of the file
  std::vector<std::uint64_t> offsets;  // where each begins
  std::uint64_t end = 0;               // where the last one ends
  // The first byte that is neither zero nor in a batch: a write cut short, or damage.
  std::optional<std::uint64_t> stray;
};

// Fails when the size or block 0 is wrong. Every block is looked at, also behind a stray byte.
Result<PendingContent> ReadPending(std::string_view bytes);

class PendingFile {
 public:
  // Opens or makes the file `name` in `dir`. `content()` is what it held.
  static Result<PendingFile> Open(const LogFiles& files, const std::string& dir,
                                  std::string_view name);

  const PendingContent& content() const { return content_; }
  const std::string& nonce() const { return content_.nonce; }
  bool empty() const { return used_ == kFirstBatch && dirty_ == kFirstBatch; }
  std::uint64_t used() const { return used_; }
  bool Fits(const std::string& batch) const { return used_ + batch.size() <= kPendingBytes; }

  // Durable when it returns. After a failure the place is free again, and what was written there
  // is overwritten by the next batch or Clear().
  Result<> Commit(const LogFiles& files, std::string batch);
  Result<> Clear(const LogFiles& files);

 private:
  static constexpr std::uint64_t kFirstBatch = 512;
  PendingFile(Fd file, std::string path, PendingContent content);

  Fd file_;
  Fd through_;  // the same, past the page cache; none where that cannot be had
  std::string path_;
  PendingContent content_;
  std::uint64_t used_ = kFirstBatch;
  std::uint64_t dirty_ = kFirstBatch;  // behind `used_` and up to here, bytes may not be zero
};

}  // namespace belljar::audit
