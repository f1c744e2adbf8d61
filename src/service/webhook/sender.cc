#include "service/webhook/sender.h"

#include <chrono>

#include "service/webhook/post.h"

namespace belljar::service::webhook {
namespace {

constexpr std::size_t kMostWaiting = 256;
constexpr std::chrono::milliseconds kPatience{5'000};

}  // namespace

Sender::Sender() : thread_([this] { Work(); }) {}

Sender::~Sender() {
  {
    const std::lock_guard lock(mutex_);
    ending_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

bool Sender::Send(Letter letter) {
  {
    const std::lock_guard lock(mutex_);
    if (waiting_.size() >= kMostWaiting) return false;
    waiting_.push_back(std::move(letter));
  }
  changed_.notify_all();
  return true;
}

void Sender::Work() {
  std::unique_lock lock(mutex_);
  for (;;) {
    changed_.wait(lock, [this] { return ending_ || !waiting_.empty(); });
    if (ending_) return;
    const Letter letter = std::move(waiting_.front());
    waiting_.pop_front();
    lock.unlock();
    const auto status = Post(letter.address, letter.body, kPatience);
    if (letter.on_end) letter.on_end(status);
    lock.lock();
  }
}

}  // namespace belljar::service::webhook
