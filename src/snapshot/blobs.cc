#include "snapshot/blobs.h"

#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include <vector>

#include "base/sys.h"

namespace belljar::snapshot {
namespace {

constexpr std::size_t kBlobChunk = 256 << 10;

}  // namespace

Result<Fd> Blobs::Open(const Digest& digest) const {
  return OpenBeneath(dir_, Hex(digest), O_RDONLY | O_NOFOLLOW);
}

Result<> Blobs::Verify(const Digest& digest) const {
  const Fd file = BJ_TRY(Open(digest));
  thread_local std::vector<char> buffer(kBlobChunk);
  Hasher hasher;
  for (;;) {
    const long n = BJ_TRY(
        Check("read", "blob", [&] { return ::read(file.get(), buffer.data(), buffer.size()); }));
    if (n == 0) break;
    hasher.Add({buffer.data(), static_cast<std::size_t>(n)});
  }
  if (hasher.Finish() == digest) return {};
  return Error(Kind::kInternal, "blob " + Hex(digest) + " of the checkpoint store is damaged");
}

std::uint64_t Blobs::bytes() const {
  const std::lock_guard lock(mutex_);
  return bytes_;
}

bool Blobs::Acquire(const Digest& digest) {
  const std::lock_guard lock(mutex_);
  const auto kept = kept_.find(digest);
  if (kept == kept_.end()) return false;
  ++kept->second.holders;
  return true;
}

// Names come and go under the lock, so that a blob is never unlinked just as it is added again.
void Blobs::Release(const Digest& digest) {
  const std::lock_guard lock(mutex_);
  const auto kept = kept_.find(digest);
  if (kept == kept_.end() || --kept->second.holders > 0) return;
  bytes_ -= kept->second.bytes;
  kept_.erase(kept);
  ::unlinkat(dir_.get(), Hex(digest).c_str(), 0);
}

Result<> Blobs::Add(const std::string& incoming, const Digest& digest, std::uint64_t bytes) {
  const std::lock_guard lock(mutex_);
  const auto kept = kept_.find(digest);
  if (kept != kept_.end()) {  // another snapshot was quicker
    ++kept->second.holders;
    ::unlinkat(dir_.get(), incoming.c_str(), 0);
    return {};
  }
  if (bytes > most_bytes_ - bytes_) {
    return Error(Kind::kExhausted, "the checkpoint store is full; delete checkpoints first");
  }
  const std::string name = Hex(digest);
  if (::renameat(dir_.get(), incoming.c_str(), dir_.get(), name.c_str()) != 0) {
    return SysError("rename", "blob " + name, errno);
  }
  kept_[digest] = {1, bytes};
  bytes_ += bytes;
  return {};
}

std::string Blobs::NextIncoming() {
  const std::lock_guard lock(mutex_);
  return "incoming-" + std::to_string(++incoming_);
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

BlobWriter::~BlobWriter() { Discard(); }

void BlobWriter::Discard() {
  if (!incoming_.empty()) ::unlinkat(blobs_.dir_.get(), incoming_.c_str(), 0);
  incoming_.clear();
  file_.Close();
  buffer_.clear();
  bytes_ = 0;
}

Result<> BlobWriter::Write(std::string_view bytes) {
  hasher_.Add(bytes);
  buffer_.append(bytes);
  bytes_ += bytes.size();
  if (buffer_.size() >= 2 * kBlobChunk) BJ_TRY(Flush());
  return {};
}

Result<> BlobWriter::Flush() {
  if (incoming_.empty()) {
    incoming_ = blobs_.NextIncoming();
    file_ =
        BJ_TRY(OpenBeneath(blobs_.dir_, incoming_, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0600));
  }
  BJ_TRY(WriteAll(file_, buffer_, "blob of the checkpoint store"));
  buffer_.clear();
  return {};
}

Result<Digest> BlobWriter::Finish() {
  const Digest digest = hasher_.Finish();
  if (bytes_ > 0 && !hold_.Take(digest)) {
    BJ_TRY(Flush());
    BJ_TRY(blobs_.Add(incoming_, digest, bytes_));
    incoming_.clear();
    hold_.held_.insert(digest);
  }
  Discard();
  return digest;
}

}  // namespace belljar::snapshot
