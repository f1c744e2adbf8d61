// Blobs: contents of files by their SHA-256, each kept once however many snapshots hold it.
//
// The count of holders is in memory only. Snapshots end with the daemon, so nothing on disk has to
// outlive it, nothing is synced, and a daemon begins with an empty folder.
//
// A Hold is a set of blobs that stay for as long as it lives; a snapshot is one, and so is a
// snapshot that is still being taken: if that fails, its blobs go with it.
//
// Thread-safe; one Hold is used by one thread at a time. Blobs must outlive its Holds.
#pragma once

#include <cstdint>
#include <mutex>
#include <string>
#include <unordered_map>
#include <unordered_set>

#include "base/fd.h"
#include "base/result.h"
#include "snapshot/content.h"
#include "snapshot/digest.h"

namespace belljar::snapshot {

class Blobs {
 public:
  Blobs(Fd dir, std::uint64_t most_bytes) : dir_(std::move(dir)), most_bytes_(most_bytes) {}

  // An error when the blob is not there, or is not what its name says.
  Result<> Verify(const Digest& digest) const;
  Result<Fd> Open(const Digest& digest) const;
  std::uint64_t bytes() const;

 private:
  friend class Hold;
  friend class BlobWriter;
  struct Kept {
    std::size_t holders = 0;
    std::uint64_t bytes = 0;
  };
  bool Acquire(const Digest& digest);
  void Release(const Digest& digest);
  // Gives the finished file `incoming` its name, with one holder.
  Result<> Add(const std::string& incoming, const Digest& digest, std::uint64_t bytes);
  std::string NextIncoming();

  Fd dir_;
  const std::uint64_t most_bytes_;
  mutable std::mutex mutex_;
  std::unordered_map<Digest, Kept, DigestHash> kept_;
  std::uint64_t bytes_ = 0;
  std::uint64_t incoming_ = 0;
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

// Writes one file's data and holds it. What is small is hashed before anything is written, so that
// a blob which is already there costs no write.
class BlobWriter : public Sink {
 public:
  BlobWriter(Blobs& blobs, Hold& hold) : blobs_(blobs), hold_(hold) {}
  ~BlobWriter() override;
  Result<> Write(std::string_view bytes) override;
  // The next Write() begins another blob. No data, no blob.
  Result<Digest> Finish() override;

 private:
  Result<> Flush();
  void Discard();

  Blobs& blobs_;
  Hold& hold_;
  Hasher hasher_;
  std::string buffer_;
  std::uint64_t bytes_ = 0;
  std::string incoming_;  // name of the unfinished file, when there is one
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
  Hasher hasher_;
};

}  // namespace belljar::snapshot
