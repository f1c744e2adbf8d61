// Admission: admission control; decides which run may begin now, which waits in a queue, and which
// is refused.
//
// A run that exceeds its caller's own quotas or rate is refused at once: that caller knows what it
// has asked for, and can wait by itself. A run for which the machine as a whole has no room waits
// in a fair queue: callers are served round robin, and each caller's runs in order of arrival. No
// caller can hold all places, so a newcomer gets one soon, however many runs another caller has
// queued. While several callers are active, each may hold fewer places, because a free place is of
// little use when another caller's runs occupy all CPUs in parts of the kernel that are not
// preempted (forks, ends of processes). The queue is bounded. When it is full, the caller with the
// most queued runs loses its youngest one; the newcomer is not refused.
//
// A run that needs more memory than is free lets later runs pass. After kMaxPassed of them, only
// callers that stay within an equal share of the memory may still pass. So a run that needs at most
// an equal share eventually starts, and no caller is held up by another that wants more. A refusal
// for lack of room says when to try again, estimated from the duration of recent runs.
//
// A granted run holds a Ticket; destroying the ticket releases its resources.
//
// Thread-safe. Must outlive its tickets. The functions given to AdmitThen are called without a lock
// held, on the thread that made room, and must not block.
#pragma once

#include <chrono>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "foundation/base/rate_window.h"
#include "foundation/base/result.h"
#include "service/callers/caller.h"
#include "service/callers/token_store.h"

namespace belljar::service::callers {

// The machine's capacity for all callers together, and the most that one caller gets of it.
struct Capacity {
  std::uint32_t runs = 16;
  std::uint32_t runs_of_one = 12;  // at most `runs`; fewer leaves room for others
  // While others are active; at most `runs_of_one`; fewer leaves others CPU time.
  std::uint32_t runs_beside_others = 12;
  std::uint32_t sessions = 5'000;
  std::uint64_t memory_bytes = std::uint64_t{64} << 30;
  std::uint64_t memory_of_one = std::uint64_t{48} << 30;
  std::size_t waiting = 4'096;
  std::size_t waiting_of_one = 1'024;
  std::chrono::milliseconds longest_wait{30'000};
};

class Admission {
 public:
  static constexpr int kMaxPassed = 16;

  class Ticket {
   public:
    Ticket(Ticket&& other) noexcept
        : from_(std::exchange(other.from_, nullptr)), held_(std::move(other.held_)) {}
    Ticket& operator=(Ticket&& other) noexcept {
      Ticket incoming(std::move(other));
      std::swap(from_, incoming.from_);
      std::swap(held_, incoming.held_);
      return *this;
    }
    ~Ticket() {
      if (from_ != nullptr) from_->GiveBack(held_);
    }

    // How many runs the caller had when this ticket was granted, including this one.
    std::uint32_t runs_of_caller() const { return held_.runs_of_caller; }

    // Releases the run's place while it waits for a person, until the returned object is destroyed;
    // may be called several times at once. The run still counts towards its caller's quotas, and
    // takes its place again without waiting. The ticket must not be moved meanwhile.
    [[nodiscard]] std::shared_ptr<void> StandAside();

   private:
    friend class Admission;
    enum class For { kRun, kSession };
    struct Held {
      std::string caller;
      std::uint64_t memory_bytes;
      For what;
      std::uint32_t runs_of_caller;
      std::chrono::steady_clock::time_point since;
      // Number of active StandAside() calls; guarded by the Admission's lock.
      std::uint32_t aside = 0;
    };
    Ticket(Admission* from, Held held) : from_(from), held_(std::move(held)) {}

    Admission* from_;
    Held held_;
  };

  explicit Admission(const Capacity& capacity, Now now = std::chrono::steady_clock::now);
  Admission(const Admission&) = delete;
  Admission& operator=(const Admission&) = delete;

  // Blocks until the run is granted or refused. A run in a session needs no memory of its own: pass
  // 0.
  //   kDenied     the caller's quotas, or the machine, could never hold such a run
  //   kExhausted  not now; Error::retry_after() is an estimate
  Result<Ticket> Admit(const Caller& caller, std::uint64_t memory_bytes);

  // The same asynchronously: `then` is called exactly once, unless the request is cancelled first.
  // Returns a number for Cancel().
  using Then = std::function<void(Result<Ticket>)>;
  std::uint64_t AdmitThen(const Caller& caller, std::uint64_t memory_bytes, Then then);
  // Removes a request whose caller has gone away. No effect once `then` has been called.
  void Cancel(std::uint64_t number);
  // Refuses requests that have waited too long. Must be called periodically, about every 100 ms;
  // threads in Admit do it themselves.
  void Expire();

  // Admits a session and its memory, for the lifetime of the ticket. Never waits.
  Result<Ticket> AdmitSession(const Caller& caller, std::uint64_t memory_bytes);

  // For shutdown: refuses (kUnavailable) all waiting and future requests. Tickets already granted
  // stay valid.
  void Close();

  struct Load {
    std::uint32_t runs, sessions;
    std::uint64_t memory_bytes;
    std::size_t waiting;
  };
  Load load() const;

 private:
  using Time = std::chrono::steady_clock::time_point;
  struct Waiter {
    std::uint64_t number;
    Quotas quotas;
    std::uint64_t memory_bytes;
    Time since;
    Then then;
    int passed = 0;  // number of later runs that needed less memory and went first
  };
  struct Share {  // the resources that one caller holds
    std::uint32_t runs = 0, sessions = 0;
    std::uint32_t aside = 0;  // runs that stand aside, not counted in `runs`
    std::uint64_t memory_bytes = 0;
    std::deque<Waiter> waiting{};
    RateWindow rate{};
    Time last_run{};  // when its latest run ended
  };
  // Callbacks to call after the lock is released.
  using Answers = std::vector<std::pair<Then, Result<Ticket>>>;

  Result<> CheckEver(const Caller& caller, std::uint64_t memory_bytes) const;
  Result<> CheckNow(const Caller& caller, Share& share, std::uint64_t memory_bytes);
  void Enqueue(const Caller& caller, Waiter waiter, Answers& answers);
  void EvictOne(const std::string& newcomer, Answers& answers);
  void Dispatch(Answers& answers);
  std::optional<std::size_t> NextInLine();
  std::uint64_t EqualShareOfMemory() const;
  std::uint32_t PlacesOfOne() const;
  bool FitsShare(const Share& share, const Waiter& waiter, std::uint32_t places) const;
  bool FitsMachine(const Waiter& waiter) const;
  Ticket Take(const std::string& caller, Share& share, std::uint64_t memory_bytes,
              Ticket::For what);
  void GiveBack(const Ticket::Held& held);
  void StepAside(Ticket::Held& held);
  void StepBack(Ticket::Held& held);
  void LeaveLine(const std::string& caller);
  Error Full(std::string_view what) const;

  static Error Closing();

  const Capacity capacity_;
  const Now now_;

  mutable std::mutex mutex_;  // guards the members below
  std::map<std::string, Share> shares_;
  std::deque<std::string> line_;                  // callers with waiting runs, in round-robin order
  std::map<std::uint64_t, std::string> waiting_;  // request number -> caller
  std::uint64_t next_number_ = 1;
  bool closed_ = false;
  std::uint32_t runs_ = 0, sessions_ = 0, aside_ = 0;
  std::uint64_t memory_bytes_ = 0;
  std::chrono::duration<double> usual_run_{1.0};  // moving average of the duration of a run
};

}  // namespace belljar::service::callers
