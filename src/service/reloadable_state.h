// ReloadableState: settings that can change while a daemon serves, and that every route must see at
// once.
//
// Thread-safe.
#pragma once

#include <atomic>
#include <mutex>

#include "foundation/base/fd.h"
#include "foundation/base/result.h"
#include "request/limits.h"

namespace belljar::service {

class ReloadableState {
 public:
  static Result<ReloadableState> Create(const request::Limits& limits);
  ReloadableState(ReloadableState&& other) noexcept
      : cut_(std::move(other.cut_)), limits_(other.limits_) {}

  // The default limits of requests.
  request::Limits limits() const {
    const std::lock_guard lock(mutex_);
    return limits_;
  }
  void SetLimits(const request::Limits& limits) {
    const std::lock_guard lock(mutex_);
    limits_ = limits;
  }

  // Refuses new runs from now on.
  void Stop() { stopping_ = true; }
  bool stopping() const { return stopping_; }

  // Becomes readable, permanently, when the remaining runs are to be cancelled.
  int cut() const { return cut_.get(); }
  void Cut();

 private:
  explicit ReloadableState(Fd cut) : cut_(std::move(cut)) {}

  Fd cut_;  // an eventfd
  std::atomic<bool> stopping_{false};
  mutable std::mutex mutex_;
  request::Limits limits_;
};

}  // namespace belljar::service
