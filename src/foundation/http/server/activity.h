// Activity: counts activities in progress and lets a caller wait until there are none.
//
// The tokens share ownership of the count, because they may outlive the waiter.
#pragma once

#include <chrono>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <utility>

namespace belljar::http::server {

class Activity {
 private:
  struct Count {
    std::mutex mutex;
    std::condition_variable changed;
    std::size_t going_on = 0;
  };

 public:
  class Token {
   public:
    explicit Token(std::shared_ptr<Count> count) : count_(std::move(count)) {
      const std::lock_guard lock(count_->mutex);
      ++count_->going_on;
    }
    Token(Token&&) noexcept = default;
    Token& operator=(Token&&) = delete;
    ~Token() { End(); }
    void End() {
      const std::shared_ptr<Count> count = std::move(count_);
      if (!count) return;
      const std::lock_guard lock(count->mutex);
      if (--count->going_on == 0) count->changed.notify_all();
    }

   private:
    std::shared_ptr<Count> count_;
  };

  Token Begin() { return Token(count_); }

  std::size_t going_on() const {
    const std::lock_guard lock(count_->mutex);
    return count_->going_on;
  }
  // Returns true if all activities ended before the deadline.
  bool WaitForNone(std::chrono::steady_clock::time_point deadline) {
    std::unique_lock lock(count_->mutex);
    return count_->changed.wait_until(lock, deadline, [&] { return count_->going_on == 0; });
  }

 private:
  std::shared_ptr<Count> count_ = std::make_shared<Count>();
};

}  // namespace belljar::http::server
