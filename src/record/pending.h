// Pending files: the log's write-ahead log, for records that are durable and not yet in tiles.
//
// Appending must be durable within a fraction of a millisecond, but tiles are replaced as whole
// files, which takes a dozen disk syncs. So records first go into a preallocated file that was
// filled with zeros: overwriting existing blocks changes no metadata, so a durable append costs a
// single disk write. Records written together are one batch. Small bodies are part of the batch and
// need no sync of their own. There are two such files: while one is folded into tiles, the other
// takes the new records.
//
//   block 0:  "BJPEND1\n", 32 random bytes, SHA-256 of these 40 bytes, zeros
//   batch:    "BJBATCH1", first index, indexed (8 bytes each), entries, bodies (4 bytes each),
//             payload length (8 bytes), digest (32 bytes), payload, zeros up to a block's end
//   payload:  entries as in an entry tile; bodies, each behind its length in 4 bytes
//
// Numbers are big-endian; a block is 512 bytes. The digest is SHA-256 of the file's random bytes,
// the header before the digest, and the payload. The payload contains guest output; because of the
// random bytes a guest cannot forge a valid batch inside it. Everything else is zero.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "foundation/base/fd.h"
#include "foundation/base/result.h"
#include "record/files.h"

namespace belljar::record {

constexpr std::size_t kPendingBytes = 4 << 20;
constexpr std::size_t kMaxInlineBodyBytes = 64 << 10;
inline constexpr std::string_view kPendingNames[] = {"pending-a", "pending-b"};

struct Batch {
  std::uint64_t first = 0;    // the index of its first entry
  std::uint64_t indexed = 0;  // how many records were in the database when the batch was written
  std::vector<std::string> entries;
  std::vector<std::string> bodies;

  std::uint64_t end() const { return first + entries.size(); }
};

std::string EncodeBatch(const Batch& batch, std::string_view nonce);

// The parsed content of a pending file.
struct PendingContent {
  std::string nonce;
  std::vector<Batch> batches;          // in file order
  std::vector<std::uint64_t> offsets;  // where each batch begins
  std::uint64_t end = 0;               // where the last batch ends
  // The offset of the first byte that is neither zero nor part of a batch: a torn write or damage.
  std::optional<std::uint64_t> stray;
};

// Fails if the size or block 0 is wrong. Every block is examined, including those behind a stray
// byte.
Result<PendingContent> ReadPending(std::string_view bytes);

class PendingFile {
 public:
  // Opens or creates the file `name` in `dir`. `content()` is what it held when opened.
  static Result<PendingFile> Open(const LogFiles& files, const std::string& dir,
                                  std::string_view name);

  const PendingContent& content() const { return content_; }
  const std::string& nonce() const { return content_.nonce; }
  bool empty() const { return used_ == kFirstBatch && dirty_ == kFirstBatch; }
  std::uint64_t used() const { return used_; }
  bool Fits(const std::string& batch) const { return used_ + batch.size() <= kPendingBytes; }

  // Appends a batch; it is durable when this returns. After a failure the space is free again: the
  // next batch or Clear() overwrites it.
  Result<> Commit(const LogFiles& files, std::string batch);
  Result<> Clear(const LogFiles& files);

 private:
  static constexpr std::uint64_t kFirstBatch = 512;
  PendingFile(Fd file, std::string path, PendingContent content);

  Fd file_;
  Fd through_;  // the same file for direct I/O; closed where that is not supported
  std::string path_;
  PendingContent content_;
  std::uint64_t used_ = kFirstBatch;
  std::uint64_t dirty_ = kFirstBatch;  // bytes from `used_` up to here may be nonzero
};

}  // namespace belljar::record
