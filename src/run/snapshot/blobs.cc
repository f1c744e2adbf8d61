#include "run/snapshot/blobs.h"

#include <fcntl.h>
#include <unistd.h>

#include "foundation/base/sys.h"
#include "foundation/tree/copy.h"

namespace belljar::run::snapshot {
namespace {

constexpr std::size_t kBlobChunk = 256 << 10;

// If the file system cannot punch holes, the space is freed with the whole segment.
void PunchOut(const BlobPlace& place) {
  const Result<Fd> file = place.segment->Open(O_WRONLY);
  if (!file) return;
  static_cast<void>(::fallocate(file->get(), FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE,
                                static_cast<off_t>(place.offset), static_cast<off_t>(place.bytes)));
}

}  // namespace

Segment::~Segment() { ::unlinkat(dir_.get(), name_.c_str(), 0); }

Result<Fd> Segment::Open(int flags) const {
  return OpenBeneath(dir_, name_, flags | O_NOFOLLOW, 0600);
}

Result<BlobPlace> Blobs::Find(const Digest& digest) const {
  const std::lock_guard lock(mutex_);
  const auto kept = kept_.find(digest);
  if (kept != kept_.end()) return kept->second.place;
  return Error(Kind::kInternal, "blob " + Hex(digest) + " is not in the checkpoint store");
}

Result<> Blobs::Read(const Digest& digest, Sink& sink) const {
  const BlobPlace place = BJ_TRY(Find(digest));
  const Fd file = BJ_TRY(place.segment->Open(O_RDONLY));
  // Truncated data is detected by its digest.
  BJ_TRY(tree::ReadBytes(file, {place.offset, place.bytes}, "blob " + Hex(digest),
                         [&](std::string_view bytes) { return sink.Write(bytes); }));
  return {};
}

Result<> Blobs::Verify(const Digest& digest) const {
  HashSink sink;
  BJ_TRY(Read(digest, sink));
  const Digest found = BJ_TRY(sink.Finish());
  if (found == digest) return {};
  return Error(Kind::kInternal, "blob " + Hex(digest) + " of the checkpoint store is damaged");
}

std::uint64_t Blobs::bytes() const {
  const std::lock_guard lock(mutex_);
  return bytes_;
}

std::size_t Blobs::count() const {
  const std::lock_guard lock(mutex_);
  return kept_.size();
}

bool Blobs::Acquire(const Digest& digest) {
  const std::lock_guard lock(mutex_);
  const auto kept = kept_.find(digest);
  if (kept == kept_.end()) return false;
  ++kept->second.holders;
  return true;
}

void Blobs::Release(const Digest& digest) {
  BlobPlace place;
  {
    const std::lock_guard lock(mutex_);
    const auto kept = kept_.find(digest);
    if (kept == kept_.end() || --kept->second.holders > 0) return;
    place = std::move(kept->second.place);
    bytes_ -= place.bytes;
    kept_.erase(kept);
  }
  if (place.segment.use_count() > 1 && place.bytes >= 4096) PunchOut(place);
}

Result<bool> Blobs::Add(const Digest& digest, const BlobPlace& place) {
  const std::lock_guard lock(mutex_);
  const auto kept = kept_.find(digest);
  if (kept != kept_.end()) {
    ++kept->second.holders;
    return false;
  }
  if (place.bytes > most_bytes_ - bytes_) {
    return Error(Kind::kExhausted, "the checkpoint store is full; delete checkpoints first");
  }
  kept_[digest] = {1, place};
  bytes_ += place.bytes;
  return true;
}

std::shared_ptr<const Segment> Blobs::NewSegment() {
  const std::lock_guard lock(mutex_);
  return std::make_shared<const Segment>(dir_, std::to_string(++segments_));
}

Hold::~Hold() {
  for (const Digest& digest : held_) blobs_->Release(digest);
}

bool Hold::Take(const Digest& digest) {
  if (held_.contains(digest)) return true;
  if (!blobs_->Acquire(digest)) return false;
  held_.insert(digest);
  return true;
}

Result<> BlobWriter::Write(std::string_view bytes) {
  hasher_.Add(bytes);
  buffer_.append(bytes);
  if (buffer_.size() >= 2 * kBlobChunk) BJ_TRY(Flush());
  return {};
}

Result<> BlobWriter::Flush() {
  if (!file_) {
    segment_ = blobs_.NewSegment();
    file_ = BJ_TRY(segment_->Open(O_WRONLY | O_CREAT | O_EXCL));
  }
  for (std::size_t done = 0; done < buffer_.size();) {
    done += static_cast<std::size_t>(BJ_TRY(Check("write", "checkpoint store", [&] {
      return ::pwrite(file_.get(), buffer_.data() + done, buffer_.size() - done,
                      static_cast<off_t>(start_ + flushed_ + done));
    })));
  }
  flushed_ += buffer_.size();
  buffer_.clear();
  return {};
}

// If the blob exists already, the next blob overwrites the bytes written for it.
Result<Digest> BlobWriter::Finish() {
  const Digest digest = hasher_.Finish();
  const std::uint64_t bytes = flushed_ + buffer_.size();
  if (bytes > 0 && !hold_.Take(digest)) {
    BJ_TRY(Flush());
    const bool added = BJ_TRY(blobs_.Add(digest, {segment_, start_, bytes}));
    hold_.held_.insert(digest);
    if (added) start_ += bytes;
  }
  buffer_.clear();
  flushed_ = 0;
  return digest;
}

}  // namespace belljar::run::snapshot
