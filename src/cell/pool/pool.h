// WarmPool: cells prepared before anyone asked for them.
//
// Building a cell costs a few clones and a dozen mounts; a ready one costs a message. A cell is
// used by one owner and then destroyed: reuse would carry one caller's leftovers into another's
// run, and no reset is trusted to prevent that.
//
// The pool follows its callers: it keeps `target` cells of the spec it was first asked for, and a
// few of each other one that it was lately asked for, of `kMaxSpecs` specs at the most. Background
// threads refill, one per CPU, one cell each at a time. While more than half of a shelf or a good
// number is left, or a single caller is building for itself, they wait a moment after a cell was
// asked for, or a session to run something: most programs are done by then and need not share the
// CPUs. When none is ready, Take()
// waits for one that is being built, if nobody else does, or builds one in the caller's thread. A
// ready cell that has died is dropped. Another thread takes used cells apart, so that no caller
// waits for that either.
//
// Thread-safe. The factory must outlive the pool.
#pragma once

#include <chrono>
#include <condition_variable>
#include <deque>
#include <list>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

#include "cell/pool/cell_factory.h"

namespace belljar::cell::pool {

class WarmPool {
 public:
  WarmPool(CellFactory& factory, std::size_t target);
  ~WarmPool();

  Result<PreparedCell> Take(const CellSpec& spec);
  // A cell that is ready now, if there is one.
  std::optional<PreparedCell> TakeReady(const CellSpec& spec);
  // A program begins in a cell that has been taken before: what is not urgent waits for a moment,
  // or for `longer`.
  void StandBack(std::chrono::milliseconds longer = {});
  // As long as it lives, cells are built ahead only where none is left: somebody takes many at
  // once, and is quicker without. Must not outlive the pool.
  class Quiet {
   public:
    explicit Quiet(WarmPool& pool);
    Quiet(const Quiet&) = delete;
    Quiet& operator=(const Quiet&) = delete;
    ~Quiet();

   private:
    WarmPool& pool_;
  };

  // Takes a used cell apart, later.
  void Discard(PreparedCell used);

  // Waits until `count` cells of `spec` are ready, or building one fails.
  Result<> Fill(const CellSpec& spec, std::size_t count);
  std::size_t ready(const CellSpec& spec);

  static constexpr std::size_t kMaxSpecs = 8;

 private:
  using Clock = std::chrono::steady_clock;
  struct Shelf {
    CellSpec spec;
    std::size_t target;
    std::deque<PreparedCell> cells{};
    Clock::time_point rests_until{};  // what is not urgent is not built before
    std::size_t callers = 0;          // that build a cell themselves, now
    std::optional<Error> failed{};    // building one failed: callers then see the error themselves
    std::size_t building = 0;         // by refillers, now
    std::size_t awaited = 0;          // by callers, of those
    bool gone = false;                // newer specs have pushed it out
  };
  // Shared: whoever waits for a shelf keeps it while newer specs push it out.
  using ShelfPtr = std::shared_ptr<Shelf>;

  ShelfPtr ShelfFor(const CellSpec& spec);
  ShelfPtr Neediest();
  std::optional<PreparedCell> Pop(Shelf& shelf);
  void AwaitBuilt(Shelf& shelf, std::unique_lock<std::mutex>& lock);
  Clock::time_point RestsUntil(const Shelf& shelf) const;
  bool IsDue();
  bool AwaitNeed(std::unique_lock<std::mutex>& lock, const std::stop_token& stop);
  void Refill(const std::stop_token& stop);
  void TakeApart(const std::stop_token& stop);

  CellFactory& factory_;
  std::size_t target_;
  std::mutex mutex_;
  std::condition_variable_any wanted_;
  std::condition_variable_any filled_;
  std::list<ShelfPtr> shelves_;            // most recently asked for first
  std::optional<CellSpec> usual_;          // the first that was asked for
  std::size_t quiet_ = 0;                  // how many want it
  Clock::time_point stands_back_until_{};  // as for `rests_until`, on every shelf
  std::mutex used_mutex_;
  std::condition_variable_any used_some_;
  std::deque<PreparedCell> used_;
  std::vector<std::jthread> refillers_;
  std::jthread disposer_;
};

}  // namespace belljar::cell::pool
