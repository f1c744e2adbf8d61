#include "record/writer.h"

#include <fmt/format.h>

#include <algorithm>
#include <list>

#include "record/body_store.h"

namespace belljar::record {
namespace {

using std::chrono::steady_clock;

constexpr std::size_t kMaxBatchEntryBytes = 1 << 20;
constexpr std::size_t kMaxFreshBytes = 1 << 20;
// A body written to its file within this time is not written again.
constexpr auto kBodyIsKnown = std::chrono::minutes(30);
constexpr std::size_t kMaxKnownBodies = 1 << 16;

}  // namespace

Writer::Writer(const LogFiles& files, std::string state_dir, Folder folder,
               std::array<PendingFile, 2> pending, std::chrono::milliseconds fold_after)
    : files_(files),
      state_dir_(std::move(state_dir)),
      fold_after_(fold_after),
      pending_(std::move(pending)),
      folded_(folder.size()),
      boundary_(folder.size()),
      indexed_(folder.size()),
      folder_(std::move(folder)),
      folder_thread_([this] { FoldLoop(); }) {}

Writer::~Writer() {
  const Lock lock(mutex_);
  stopped_ = true;
  fold_wanted_.notify_all();
}

Result<std::vector<Position>> Writer::Append(std::span<const Prepared> prepared) {
  std::list<Waiting> all;
  for (const Prepared& one : prepared) all.emplace_back(&one);
  Lock lock(mutex_);
  if (closed_) return Error(Kind::kUnavailable, "audit log: it has been closed");
  for (Waiting& waiting : all) queue_.push_back(&waiting);
  for (Waiting& waiting : all) {
    while (!waiting.result) {
      if (leading_) {
        waiting.turn.wait(lock);
      } else {
        LeadOne(lock);
      }
    }
  }
  lock.unlock();  // unlocked first, or the woken threads would block on the mutex
  grown_.notify_all();
  std::vector<Position> positions;
  for (Waiting& waiting : all) {
    Position position = BJ_TRY(*std::move(waiting.result));
    positions.push_back(std::move(position));
  }
  return positions;
}

std::vector<Writer::Waiting*> Writer::TakeTurn() {
  std::vector<Waiting*> turn;
  std::size_t bytes = 0;
  while (!queue_.empty() && bytes < kMaxBatchEntryBytes) {
    const Prepared& next = *queue_.front()->prepared;
    bytes += next.head.size() + next.middle.size() + next.tail.size();
    turn.push_back(queue_.front());
    queue_.pop_front();
  }
  return turn;
}

void Writer::LeadOne(Lock& lock) {
  leading_ = true;
  const std::vector<Waiting*> turn = TakeTurn();
  Batch batch;
  batch.first = folded_ + entries_.size();
  batch.indexed = indexed_;
  const auto now = std::chrono::system_clock::now();
  for (const Waiting* waiting : turn) {
    batch.entries.push_back(waiting->prepared->Complete(batch.end(), now));
  }
  leaving_ = std::exchange(fresh_, {});
  fresh_bytes_ = 0;
  for (const auto& [digest, bytes] : leaving_) batch.bodies.push_back(bytes);
  const Result<> written = WriteBatch(lock, batch);
  if (!written) {
    for (const auto& [digest, bytes] : leaving_) fresh_bytes_ += bytes.size();
  }
  (written ? durable_ : fresh_).merge(std::exchange(leaving_, {}));
  Finish(turn, batch, written);
  leading_ = false;
  changed_.notify_all();
  if (!queue_.empty()) queue_.front()->turn.notify_one();
}

// Writes the batch without holding the lock, so that other callers can queue meanwhile.
Result<> Writer::WriteBatch(Lock& lock, Batch& batch) {
  std::string bytes;
  BJ_TRY(WaitForRoom(lock, batch, bytes));
  PendingFile& file = pending_[active_];
  writing_ = true;
  lock.unlock();
  Result<> written = file.Commit(files_, std::move(bytes));
  lock.lock();
  writing_ = false;
  changed_.notify_all();
  return std::move(written).While("audit log");
}

// Waits until the batch fits into the active file. `bytes` is then the batch, encoded for that
// file.
Result<> Writer::WaitForRoom(Lock& lock, const Batch& batch, std::string& bytes) {
  for (;;) {
    bytes = EncodeBatch(batch, pending_[active_].nonce());
    if (pending_[active_].Fits(bytes)) return {};
    const std::uint64_t round = fold_rounds_;
    RequestFold();
    changed_.wait(lock, [&] { return fold_rounds_ != round || stopped_; });
    if (pending_[active_].Fits(bytes)) continue;
    if (fold_error_) return Error(*fold_error_).While("audit log is full, and not emptied");
    if (stopped_) return Error(Kind::kUnavailable, "audit log: it has been closed");
  }
}

void Writer::Finish(const std::vector<Waiting*>& turn, const Batch& batch,
                    const Result<>& written) {
  for (std::size_t i = 0; i < turn.size(); ++i) {
    if (written) {
      turn[i]->result = Position{batch.first + i, Hex(LeafHash(batch.entries[i]))};
    } else {
      turn[i]->result = written.error();
    }
    turn[i]->turn.notify_one();
  }
  if (!written) return;
  for (const std::string& entry : batch.entries) entries_.push_back(entry);
  if (!oldest_) {
    oldest_ = steady_clock::now();
    // Wakes the folding thread, which then waits no longer than `fold_after`.
    fold_wanted_.notify_all();
  }
  if (pending_[active_].used() > kPendingBytes / 2) RequestFold();
}

Result<> Writer::PutBody(const std::string& digest, std::string_view bytes) {
  {
    const Lock lock(mutex_);
    const auto stored = stored_.find(digest);
    if (stored != stored_.end() && steady_clock::now() - stored->second < kBodyIsKnown) return {};
    for (const BodyMap* const bodies : {&fresh_, &leaving_, &durable_, &folding_}) {
      if (bodies->contains(digest)) return {};
    }
    if (bytes.size() <= kMaxInlineBodyBytes && fresh_bytes_ + bytes.size() <= kMaxFreshBytes) {
      fresh_.emplace(digest, bytes);
      fresh_bytes_ += bytes.size();
      return {};
    }
  }
  const std::string path = BJ_TRY(BodyPath(digest));
  const NewFile body{path, std::string(bytes)};
  BJ_TRY(ReplaceFiles(files_, state_dir_, std::span(&body, 1)).While("audit body"));
  const Lock lock(mutex_);
  Remember({{digest, ""}});
  return {};
}

std::optional<std::string> Writer::FreshBody(const std::string& digest) const {
  const Lock lock(mutex_);
  for (const BodyMap* const bodies : {&fresh_, &leaving_, &durable_, &folding_}) {
    if (const auto body = bodies->find(digest); body != bodies->end()) return body->second;
  }
  return {};
}

std::uint64_t Writer::size() const {
  const Lock lock(mutex_);
  return folded_ + entries_.size();
}

std::uint64_t Writer::folded() const {
  const Lock lock(mutex_);
  return folded_;
}

std::vector<std::string> Writer::Unfolded(std::uint64_t index, std::size_t limit) const {
  const Lock lock(mutex_);
  std::vector<std::string> found;
  if (index < folded_) return found;
  for (std::uint64_t i = index - folded_; i < entries_.size() && found.size() < limit; ++i) {
    found.push_back(entries_[i]);
  }
  return found;
}

void Writer::WaitForMore(std::uint64_t size, const std::stop_token& stop) const {
  Lock lock(mutex_);
  grown_.wait(lock, stop, [&] { return folded_ + entries_.size() > size; });
}

void Writer::SetIndexed(std::uint64_t indexed) {
  const Lock lock(mutex_);
  indexed_ = indexed;
}

void Writer::Remember(const BodyMap& bodies) {
  if (stored_.size() > kMaxKnownBodies) stored_.clear();
  for (const auto& [digest, bytes] : bodies) stored_[digest] = steady_clock::now();
}

}  // namespace belljar::record
