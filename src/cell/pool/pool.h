// WarmPool: cells built ahead of the requests for them.
//
// Building a cell costs a few clones and a dozen mounts; using a ready one costs a message. A cell
// is used by one owner and then destroyed: reuse would carry one caller's leftovers into another's
// run, and no reset is trusted to prevent that.
//
// The pool has a shelf of ready cells per spec. It keeps `target` cells of the first spec it was
// asked for, and a few of every other recent spec, up to `kMaxSpecs` specs. Background threads
// (refillers), one per CPU, refill the shelves and build one cell at a time each. They pause
// briefly after a cell is taken or a session runs a program, because most programs end within that
// time and should not have to share the CPUs. The pause applies while more than half of a shelf or
// a good number of cells is left, or while a single caller builds its own cell.
//
// If no cell is ready, Take() waits for a cell that a refiller is building and that no other caller
// waits for; if there is none, it builds one in the caller's thread. A ready cell that has died is
// dropped. Another thread destroys used cells, so that no caller waits for that either.
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
  // A cell that is ready now, or nullopt.
  std::optional<PreparedCell> TakeReady(const CellSpec& spec);
  // Called when a program begins in a cell that was taken earlier: refilling that is not urgent is
  // postponed for a moment, or for `longer`.
  void StandBack(std::chrono::milliseconds longer = {});
  // While a Quiet lives, the refillers build only for empty shelves: its owner takes many cells at
  // once and is quicker without competition for the CPUs. Must not outlive the pool.
  class Quiet {
   public:
    explicit Quiet(WarmPool& pool);
    Quiet(const Quiet&) = delete;
    Quiet& operator=(const Quiet&) = delete;
    ~Quiet();

   private:
    WarmPool& pool_;
  };

  // Hands a used cell to the thread that destroys it.
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
    Clock::time_point rests_until{};  // refilling that is not urgent starts no earlier
    std::size_t callers = 0;          // callers that build a cell in their own thread now
    // the last build failed: callers build themselves and see the error
    std::optional<Error> failed{};
    std::size_t building = 0;  // cells that refillers are building now
    std::size_t awaited = 0;   // how many of those have a caller waiting
    bool gone = false;         // evicted by newer specs
  };
  // Shared: a caller that waits for a shelf keeps it alive when newer specs evict it.
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
  std::optional<CellSpec> usual_;          // the spec of the first request
  std::size_t quiet_ = 0;                  // number of living Quiet objects
  Clock::time_point stands_back_until_{};  // like `rests_until`, for all shelves
  std::mutex used_mutex_;
  std::condition_variable_any used_some_;
  std::deque<PreparedCell> used_;
  std::vector<std::jthread> refillers_;
  std::jthread disposer_;
};

}  // namespace belljar::cell::pool
