// The background folding of Writer.
#include "record/body_store.h"
#include "record/writer.h"

namespace belljar::record {
namespace {

using std::chrono::steady_clock;

constexpr auto kAfterFailure = std::chrono::seconds(1);

}  // namespace

void Writer::RequestFold() {
  fold_asked_ = true;
  fold_wanted_.notify_all();
}

bool Writer::FoldIsDue() const {
  return fold_asked_ || stopped_ || (oldest_ && steady_clock::now() - *oldest_ >= fold_after_);
}

void Writer::FoldLoop() {
  Lock lock(mutex_);
  while (!stopped_) {
    if (!FoldIsDue()) {
      // Without pending records there is no deadline; the thread waits for a notification.
      const auto since = oldest_ ? *oldest_ : steady_clock::now() + std::chrono::hours(1);
      fold_wanted_.wait_until(lock, since + fold_after_);
      continue;
    }
    const Result<> folded = FoldOnce(lock);
    fold_error_ = folded ? std::nullopt : std::optional(folded.error());
    ++fold_rounds_;
    changed_.notify_all();
    if (!folded && !stopped_) {
      // After a failure the next attempt is delayed; callers that ask meanwhile get its result.
      fold_asked_ = false;
      fold_wanted_.wait_for(lock, kAfterFailure, [&] { return stopped_ || fold_asked_; });
      fold_asked_ = true;
    }
  }
}

// Folds the inactive file. If it is empty already, the active file becomes the inactive one first.
Result<> Writer::FoldOnce(Lock& lock) {
  fold_asked_ = false;
  changed_.wait(lock, [&] { return !writing_; });
  if (pending_[1 - active_].empty()) {
    if (pending_[active_].empty()) return {};
    active_ = 1 - active_;
    boundary_ = folded_ + entries_.size();
    folding_ = std::exchange(durable_, {});
    oldest_.reset();
  }
  const auto end = entries_.begin() + static_cast<std::ptrdiff_t>(boundary_ - folded_);
  const std::vector<std::string> entries(entries_.begin(), end);
  std::vector<NewFile> bodies;
  for (const auto& [digest, bytes] : folding_) {
    const std::string path = BJ_TRY(BodyPath(digest));
    bodies.push_back({path, bytes});
  }
  lock.unlock();
  // No entries: an earlier round put them into tiles but failed to clear the file.
  Result<> folded = entries.empty() ? Result<>() : folder_.Fold(entries, std::move(bodies));
  lock.lock();
  BJ_TRY(std::move(folded));
  entries_.erase(entries_.begin(), entries_.begin() + static_cast<std::ptrdiff_t>(entries.size()));
  folded_ = boundary_;
  Remember(std::exchange(folding_, {}));
  PendingFile& done = pending_[1 - active_];
  lock.unlock();
  Result<> cleared = done.Clear(files_);
  lock.lock();
  return cleared;
}

Result<> Writer::FoldNow() {
  Lock lock(mutex_);
  const std::uint64_t target = folded_ + entries_.size();
  while (folded_ < target) {
    const std::uint64_t round = fold_rounds_;
    RequestFold();
    changed_.wait(lock, [&] { return fold_rounds_ != round || stopped_; });
    if (folded_ >= target) break;
    if (fold_error_) return Error(*fold_error_).While("audit log");
    if (stopped_) return Error(Kind::kUnavailable, "audit log: it has been closed");
  }
  return {};
}

Result<> Writer::Stop() {
  {
    Lock lock(mutex_);
    closed_ = true;
    changed_.wait(lock, [&] { return queue_.empty() && !leading_; });
  }
  Result<> folded = FoldNow();
  {
    const Lock lock(mutex_);
    stopped_ = true;
    fold_wanted_.notify_all();
    changed_.notify_all();
  }
  if (folder_thread_.joinable()) folder_thread_.join();
  return folded;
}

}  // namespace belljar::record
