// Blobs: contents by their SHA-256, each stored once and shared by all snapshots that need it.
//
// All contents that one snapshot adds are in one file, a segment, one after another: a file per
// content would cost a snapshot of a small tree more than everything else it does. The index (place
// and reference count of each blob) is in memory only. Snapshots end with the daemon, so nothing on
// disk has to outlive it: nothing is synced, and a daemon begins with an empty directory.
//
// A Hold is a set of references to blobs. Each snapshot has one, also while it is being taken: if
// that fails, its blobs are released with it. The space of an unreferenced blob is freed at once if
// the file system can punch holes, and otherwise with the last blob of its segment.
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

// A file of blobs. The destructor unlinks it; open descriptors stay readable.
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

// Shared, because blobs of a segment are released one by one, and the last one removes the segment.
struct BlobPlace {
  std::shared_ptr<const Segment> segment;
  std::uint64_t offset = 0;
  std::uint64_t bytes = 0;
};

class Blobs {
 public:
  Blobs(Fd dir, std::uint64_t most_bytes) : dir_(std::move(dir)), most_bytes_(most_bytes) {}

  Result<BlobPlace> Find(const Digest& digest) const;
  // Passes all bytes of a blob to `sink`. They are complete only if there is no error, and correct
  // only if the digest matches; the caller checks that.
  Result<> Read(const Digest& digest, Sink& sink) const;
  // Fails if the blob does not exist or does not match its digest.
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
  // Adds a blob with one reference. Returns false if another snapshot was quicker: then that one's
  // blob is referenced.
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

  // Adds a reference to a blob; false if there is no such blob.
  bool Take(const Digest& digest);

 private:
  friend class BlobWriter;
  Blobs* blobs_;
  std::unordered_set<Digest, DigestHash> held_;
};

// Writes the new blobs of one snapshot and holds them. Small contents are hashed before anything is
// written, so that a blob that exists already costs no write.
class BlobWriter : public Sink {
 public:
  BlobWriter(Blobs& blobs, Hold& hold) : blobs_(blobs), hold_(hold) {}
  Result<> Write(std::string_view bytes) override;
  // Ends the blob; the next Write() begins another one. An empty content has no blob.
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

// Only computes the digest.
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
