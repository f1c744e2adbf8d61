// What a run has under way, and how long it has waited for people.
#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <list>
#include <mutex>
#include <stop_token>
#include <string>

#include "base/result.h"

namespace belljar::broker {

// The time in which at least one call waits for a person. Thread-safe.
class WaitClock {
 public:
  // The run waits while it lives.
  class Waiting {
   public:
    explicit Waiting(WaitClock& clock);
    ~Waiting();
    Waiting(const Waiting&) = delete;
    Waiting& operator=(const Waiting&) = delete;

   private:
    WaitClock& clock_;
  };
  // So far.
  std::chrono::milliseconds waited();

 private:
  std::mutex mutex_;
  std::size_t waiting_ = 0;
  std::chrono::steady_clock::time_point since_{};
  std::chrono::steady_clock::duration waited_{};
};

// The calls of one kind that are under way. Thread-safe.
class RunCalls {
 public:
  // One of them, from its beginning to its end.
  class Call {
   public:
    // `still_allowed` says whether the policy as it is now allows it.
    Call(RunCalls& calls, std::function<bool()> still_allowed);
    ~Call();
    Call(const Call&) = delete;
    Call& operator=(const Call&) = delete;

    std::stop_token stop() const { return stop_.get_token(); }
    bool stopped() const { return stop_.stop_requested(); }
    bool revoked() const { return revoked_; }
    bool still_allowed() const { return still_allowed_(); }
    // Of a call that did not succeed: why it was given up, if it was.
    Error Why(Error error) const;

   private:
    friend class RunCalls;
    RunCalls& calls_;
    const std::function<bool()> still_allowed_;
    std::stop_source stop_;
    std::atomic<bool> revoked_{false};
  };

  // Gives up what is under way and whatever is begun from now on.
  void Stop();
  // Likewise; it has been taken away from the run.
  void Revoke();
  // Gives up those that are not allowed any more.
  void Recheck();

 private:
  std::mutex mutex_;
  bool stopped_ = false;
  bool revoked_ = false;
  std::list<Call*> under_way_;
};

Error RunIsOver();
Error TakenAway();

}  // namespace belljar::broker
