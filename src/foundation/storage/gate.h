// Gate: a recursive mutex with a timeout.
//
// Used in place of std::recursive_timed_mutex, whose timed lock GCC 12's ThreadSanitizer does not
// know: it would report races that do not exist.
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
  // Holds the gate until it is destroyed, which must happen on the thread that entered. The gate
  // must outlive it.
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

  // Returns nullopt if other threads hold the gate for all of `patience`.
  std::optional<Turn> Enter(std::chrono::milliseconds patience);

 private:
  void Leave();

  std::mutex mutex_;
  std::condition_variable freed_;
  std::thread::id owner_{};
  int depth_ = 0;
};

}  // namespace belljar::storage
