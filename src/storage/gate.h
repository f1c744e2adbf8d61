// Gate: one thread at a time, with a bounded wait; the thread that is inside may enter again.
//
// A std::recursive_timed_mutex would do, but its timed lock is unknown to ThreadSanitizer in GCC
// 12, which then reports races that are not there.
#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>

namespace belljar::storage {

class Gate {
 public:
  // Being inside. The gate must outlive it, and the thread that entered must leave.
  class Turn {
   public:
    explicit Turn(Gate* gate) : gate_(gate) {}
    Turn(Turn&& other) noexcept : gate_(std::exchange(other.gate_, nullptr)) {}
    Turn& operator=(Turn&&) = delete;
    ~Turn() {
      if (gate_ != nullptr) gate_->Leave();
    }

   private:
    Gate* gate_;
  };

  // Nothing when other threads have kept the gate for all of `patience`.
  std::optional<Turn> Enter(std::chrono::milliseconds patience);

 private:
  void Leave();

  std::mutex mutex_;
  std::condition_variable freed_;
  std::thread::id owner_{};
  int depth_ = 0;
};

}  // namespace belljar::storage
