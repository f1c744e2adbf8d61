#include "run/call_recorder.h"

#include <utility>

namespace belljar::run {

CallRecorder::~CallRecorder() {
  if (!thread_.joinable()) return;
  static_cast<void>(Flush());
  thread_.request_stop();
}

Result<> CallRecorder::Add(record::Entry entry) {
  std::unique_lock lock(mutex_);
  if (!thread_.joinable()) {
    thread_ = std::jthread([this](const std::stop_token& stop) { Append(stop); });
  }
  changed_.wait(lock, [this] { return waiting_.size() < kMostWaiting; });
  waiting_.push_back(std::move(entry));
  ++added_;
  // For other counts the thread is not notified: waking it for each record would cost more than the
  // record itself.
  if (waiting_.size() == 1 || waiting_.size() >= kMostWaiting) changed_.notify_all();
  if (trouble_) return *trouble_;
  return {};
}

Result<> CallRecorder::Flush() {
  std::unique_lock lock(mutex_);
  const std::uint64_t mine = added_;
  ++flushing_;
  changed_.notify_all();
  changed_.wait(lock, [&] { return done_ >= mine; });
  --flushing_;
  if (trouble_) return *trouble_;
  return {};
}

void CallRecorder::Append(const std::stop_token& stop) {
  std::unique_lock lock(mutex_);
  while (changed_.wait(lock, stop, [this] { return !waiting_.empty(); })) {
    changed_.wait_for(lock, stop, kTogether,
                      [this] { return flushing_ > 0 || waiting_.size() >= kMostWaiting; });
    const std::vector<record::Entry> together = std::exchange(waiting_, {});
    lock.unlock();
    const auto appended = log_.AppendAll(together);
    lock.lock();
    trouble_ = appended ? std::nullopt : std::optional(appended.error());
    done_ += together.size();
    changed_.notify_all();
  }
}

}  // namespace belljar::run
