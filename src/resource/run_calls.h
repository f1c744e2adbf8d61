// RunCalls and WaitClock: the calls of a run in progress, and the time it has waited for people.
#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <list>
#include <mutex>
#include <stop_token>
#include <string>

#include "foundation/base/result.h"

namespace belljar::resource {

// Measures the time in which at least one call waits for a person. Thread-safe.
class WaitClock {
 public:
  // The clock runs while at least one of these objects exists.
  class Waiting {
   public:
    explicit Waiting(WaitClock& clock);
    ~Waiting();
    Waiting(const Waiting&) = delete;
    Waiting& operator=(const Waiting&) = delete;

   private:
    WaitClock& clock_;
  };
  // The total so far.
  std::chrono::milliseconds waited();

 private:
  std::mutex mutex_;
  std::size_t waiting_ = 0;
  std::chrono::steady_clock::time_point since_{};
  std::chrono::steady_clock::duration waited_{};
};

// The calls of one kind that are in progress. Thread-safe.
class RunCalls {
 public:
  // Registers a call for the lifetime of this object.
  class Call {
   public:
    // `still_allowed` checks the call against the current policy.
    Call(RunCalls& calls, std::function<bool()> still_allowed);
    ~Call();
    Call(const Call&) = delete;
    Call& operator=(const Call&) = delete;

    std::stop_token stop() const { return stop_.get_token(); }
    bool stopped() const { return stop_.stop_requested(); }
    bool revoked() const { return revoked_; }
    bool still_allowed() const { return still_allowed_(); }
    // Replaces the error of a failed call by the reason why it was cancelled, if it was.
    Error Why(Error error) const;

   private:
    friend class RunCalls;
    RunCalls& calls_;
    const std::function<bool()> still_allowed_;
    std::stop_source stop_;
    std::atomic<bool> revoked_{false};
  };

  // Cancels all calls, and all that begin from now on: the run is over.
  void Stop();
  // The same when the access was revoked from the run.
  void Revoke();
  // Cancels the calls that are no longer allowed.
  void Recheck();

 private:
  std::mutex mutex_;
  bool stopped_ = false;
  bool revoked_ = false;
  std::list<Call*> under_way_;
};

Error RunIsOver();
Error TakenAway();

}  // namespace belljar::resource
