// FakeClock: a clock that tests advance. Thread-safe; must outlive the objects that read it.
#pragma once

#include <atomic>
#include <chrono>

#include "service/callers/token_store.h"

namespace belljar::service::callers {

class FakeClock {
 public:
  void Pass(std::chrono::milliseconds time) { passed_ms_ += time.count(); }
  Now now() {
    return [this] {
      return std::chrono::steady_clock::time_point(std::chrono::milliseconds(passed_ms_.load()));
    };
  }

 private:
  std::atomic<std::int64_t> passed_ms_ = 1'000'000;
};

}  // namespace belljar::service::callers
