#include "resource/run_calls.h"

#include <utility>

namespace belljar::resource {

Error RunIsOver() { return Error(Kind::kDenied, "no run is going on that could call tools"); }

Error TakenAway() {
  return Error(Kind::kDenied, "what this call needs has been taken away from the run");
}

WaitClock::Waiting::Waiting(WaitClock& clock) : clock_(clock) {
  const std::lock_guard lock(clock_.mutex_);
  if (clock_.waiting_++ == 0) clock_.since_ = std::chrono::steady_clock::now();
}

WaitClock::Waiting::~Waiting() {
  const std::lock_guard lock(clock_.mutex_);
  if (--clock_.waiting_ == 0) clock_.waited_ += std::chrono::steady_clock::now() - clock_.since_;
}

std::chrono::milliseconds WaitClock::waited() {
  const std::lock_guard lock(mutex_);
  auto all = waited_;
  if (waiting_ > 0) all += std::chrono::steady_clock::now() - since_;
  return std::chrono::duration_cast<std::chrono::milliseconds>(all);
}

RunCalls::Call::Call(RunCalls& calls, std::function<bool()> still_allowed)
    : calls_(calls), still_allowed_(std::move(still_allowed)) {
  const std::lock_guard lock(calls_.mutex_);
  revoked_ = calls_.revoked_;
  if (calls_.stopped_ || calls_.revoked_) stop_.request_stop();
  calls_.under_way_.push_back(this);
}

RunCalls::Call::~Call() {
  const std::lock_guard lock(calls_.mutex_);
  calls_.under_way_.remove(this);
}

Error RunCalls::Call::Why(Error error) const {
  if (revoked_) return TakenAway();
  return stopped() ? RunIsOver() : std::move(error);
}

void RunCalls::Stop() {
  const std::lock_guard lock(mutex_);
  stopped_ = true;
  for (Call* call : under_way_) call->stop_.request_stop();
}

void RunCalls::Revoke() {
  const std::lock_guard lock(mutex_);
  revoked_ = true;
  for (Call* call : under_way_) {
    call->revoked_ = true;
    call->stop_.request_stop();
  }
}

void RunCalls::Recheck() {
  const std::lock_guard lock(mutex_);
  for (Call* call : under_way_) {
    if (call->still_allowed()) continue;
    call->revoked_ = true;
    call->stop_.request_stop();
  }
}

}  // namespace belljar::resource
