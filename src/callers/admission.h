// Admission: which run may begin now, which waits, and which is refused.
//
// A caller's own quotas refuse at once: it knows what it has asked for, and can wait by itself. So
// does a rate. What the machine as a whole cannot do yet waits in line: callers take turns, each
// caller's runs go in the order they came, and no caller ever holds all places, so that a newcomer
// finds one soon however many runs another has brought. While several callers are about, each has
// fewer places: one is of little use when all CPUs are busy with what another has brought, and the
// kernel does not preempt all that makes them busy (forks, ends of processes). The line is bounded;
// when it is full, the caller with the longest part of it loses its youngest, not the newcomer.
//
// A run that needs more memory than is free lets others pass. When kMaxPassed have, only callers
// within an equal share of the memory still do: whoever wants no more than an equal share gets it
// in the end, and nobody is held up by one who wants more. Who is refused for want of room is told
// when to come again, by the time that runs have lately taken.
//
// A granted run holds a Ticket, and gives back what it holds by dropping it.
//
// Thread-safe. Must outlive its tickets. Functions given to AdmitThen are called without a lock
// held, in whichever thread made room, and must not block.
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

#include "base/rate_window.h"
#include "base/result.h"
#include "callers/caller.h"
#include "callers/token_store.h"

namespace belljar::callers {

// What the machine gives to all callers together, and to one at the most.
struct Capacity {
  std::uint32_t runs = 16;
  std::uint32_t runs_of_one = 12;         // at most `runs`; fewer leaves room for others
  std::uint32_t runs_beside_others = 12;  // at most `runs_of_one`; fewer leaves them CPUs, too
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

    // Runs of the same caller when it was given out, with this one.
    std::uint32_t runs_of_caller() const { return held_.runs_of_caller; }

    // For a run that waits for a person: leaves its place to others until what is returned is gone,
    // several times at once if it likes. It still counts for its caller's quotas, and takes its
    // place again without waiting. The ticket must stay where it is meanwhile.
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
      std::uint32_t aside = 0;  // how often; guarded by the Admission's lock
    };
    Ticket(Admission* from, Held held) : from_(from), held_(std::move(held)) {}

    Admission* from_;
    Held held_;
  };

  explicit Admission(const Capacity& capacity, Now now = std::chrono::steady_clock::now);
  Admission(const Admission&) = delete;
  Admission& operator=(const Admission&) = delete;

  // Waits in this thread for a turn. A run in a session needs no memory of its own: 0.
  //   kDenied     the caller's quotas, or the machine, could never hold such a run
  //   kExhausted  not now; Error::retry_after() is an estimate
  Result<Ticket> Admit(const Caller& caller, std::uint64_t memory_bytes);

  // The same without a thread that waits: `then` is called exactly once, unless it is cancelled
  // before. The number is for Cancel.
  using Then = std::function<void(Result<Ticket>)>;
  std::uint64_t AdmitThen(const Caller& caller, std::uint64_t memory_bytes, Then then);
  // For a caller that has gone away. No effect once `then` has been called.
  void Cancel(std::uint64_t number);
  // Refuses those that have waited for too long. To be called now and then, say every 100 ms;
  // threads in Admit do it themselves.
  void Expire();

  // A session and its memory, for as long as the ticket is kept. Never waits.
  Result<Ticket> AdmitSession(const Caller& caller, std::uint64_t memory_bytes);

  // For a service that is about to end: refuses (kUnavailable) all who wait and all who come.
  // Tickets that were given out stay good.
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
    int passed = 0;  // by runs of others that needed less memory
  };
  struct Share {  // of one caller
    std::uint32_t runs = 0, sessions = 0;
    std::uint32_t aside = 0;  // further runs
    std::uint64_t memory_bytes = 0;
    std::deque<Waiter> waiting{};
    RateWindow rate{};
    Time last_run{};  // when its newest one ended
  };
  // What is to be told once the lock is gone.
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

  mutable std::mutex mutex_;  // for what follows
  std::map<std::string, Share> shares_;
  std::deque<std::string> line_;  // callers with runs that wait, in the order of their turns
  std::map<std::uint64_t, std::string> waiting_;  // whose the numbers are
  std::uint64_t next_number_ = 1;
  bool closed_ = false;
  std::uint32_t runs_ = 0, sessions_ = 0, aside_ = 0;
  std::uint64_t memory_bytes_ = 0;
  std::chrono::duration<double> usual_run_{1.0};  // a moving average
};

}  // namespace belljar::callers
