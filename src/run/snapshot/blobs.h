// Blobs: contents by their SHA-256, each kept once however many snapshots hold it.
//
// What one snapshot adds lies in one file, a segment, piece after piece: a file for each content
// would cost a snapshot of a small tree more than everything else it does. Where a content lies and
// who holds it is in memory only. Snapshots end with the daemon, so nothing on disk has to outlive
// it, nothing is synced, and a daemon begins with an empty folder.
//
// A Hold is a set of blobs that stay for as long as it lives; a snapshot is one, and so is a
// snapshot that is still being taken: if that fails, its blobs go with it. The space of a blob that
// nobody holds is given back at once where the file system can punch holes, and in any case with
// the last blob of its segment.
//
// Thread-safe; one Hold is used by one thread at a time. Blobs must outlive its Holds.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>
#include <unordered_set>

#include "foundation/base/fd.h"
#include "foundation/base/result.h"
#include "foundation/base/sha256.h"
#include "run/snapshot/content.h"

namespace belljar::run::snapshot {

// A file of blobs. Its name goes with it; who has it open can go on reading.
class Segment {
 public:
  Segment(const Fd& dir, std::string name) : dir_(dir), name_(std::move(name)) {}
  Segment(const Segment&) = delete;
  Segment& operator=(const Segment&) = delete;
  ~Segment();
  Result<Fd> Open(int flags) const;

 private:
  const Fd& dir_;
  const std::string name_;
};

// Shared, because the blobs of a segment go one by one, and the last takes it along.
struct BlobPlace {
  std::shared_ptr<const Segment> segment;
  std::uint64_t offset = 0;
  std::uint64_t bytes = 0;
};

class Blobs {
 public:
  Blobs(Fd dir, std::uint64_t most_bytes) : dir_(std::move(dir)), most_bytes_(most_bytes) {}

  Result<BlobPlace> Find(const Digest& digest) const;
  // Gives all bytes of a blob to `sink`; what has come is complete only if there is no error, and
  // right only if its digest is.
  Result<> Read(const Digest& digest, Sink& sink) const;
  // An error when the blob is not there, or is not what its name says.
  Result<> Verify(const Digest& digest) const;
  std::uint64_t bytes() const;
  std::size_t count() const;

 private:
  friend class Hold;
  friend class BlobWriter;
  struct Kept {
    std::size_t holders = 0;
    BlobPlace place;
  };
  bool Acquire(const Digest& digest);
  void Release(const Digest& digest);
  // A new blob with one holder. False when another snapshot was quicker: then its one is held.
  Result<bool> Add(const Digest& digest, const BlobPlace& place);
  std::shared_ptr<const Segment> NewSegment();

  Fd dir_;
  const std::uint64_t most_bytes_;
  mutable std::mutex mutex_;
  std::unordered_map<Digest, Kept, DigestHash> kept_;
  std::uint64_t bytes_ = 0;
  std::uint64_t segments_ = 0;
};

class Hold {
 public:
  explicit Hold(Blobs& blobs) : blobs_(&blobs) {}
  Hold(Hold&& other) noexcept : blobs_(other.blobs_), held_(std::move(other.held_)) {
    other.held_.clear();
  }
  Hold& operator=(Hold&&) = delete;
  ~Hold();

  // False when there is no such blob.
  bool Take(const Digest& digest);

 private:
  friend class BlobWriter;
  Blobs* blobs_;
  std::unordered_set<Digest, DigestHash> held_;
};

// Writes the new blobs of one snapshot and holds them. What is small is hashed before anything is
// written, so that a blob which is already there costs no write.
class BlobWriter : public Sink {
 public:
  BlobWriter(Blobs& blobs, Hold& hold) : blobs_(blobs), hold_(hold) {}
  Result<> Write(std::string_view bytes) override;
  // The next Write() begins another blob. No data, no blob.
  Result<Digest> Finish() override;

 private:
  Result<> Flush();

  Blobs& blobs_;
  Hold& hold_;
  Sha256 hasher_;
  std::string buffer_;
  std::uint64_t flushed_ = 0;  // bytes of this blob that are in the segment
  std::uint64_t start_ = 0;    // where this blob begins
  std::shared_ptr<const Segment> segment_;
  Fd file_;
};

// Only hashes.
class HashSink : public Sink {
 public:
  Result<> Write(std::string_view bytes) override {
    hasher_.Add(bytes);
    return {};
  }
  Result<Digest> Finish() override { return hasher_.Finish(); }

 private:
  Sha256 hasher_;
};

}  // namespace belljar::run::snapshot
