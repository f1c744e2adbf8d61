#include "cell/pool/pool.h"

#include <poll.h>

#include <algorithm>
#include <utility>

namespace belljar::cell::pool {
namespace {

constexpr std::chrono::milliseconds kRest{5};
// Starting a container keeps both CPUs busy for longer than most programs run.
constexpr std::chrono::milliseconds kRestOfContainers{60};
constexpr std::size_t kPlenty = 16;    // refilling is not urgent while half of this is left
constexpr std::size_t kForOthers = 8;  // cells of each spec but the first
constexpr std::size_t kOfContainers = 4;
constexpr std::size_t kMostUsed = 128;

std::chrono::milliseconds RestOf(const CellSpec& spec) {
  return spec.backend == request::BackendKind::kNative ? kRest : kRestOfContainers;
}

// The pidfd of an ended guest is readable; that of a waiting guest is not.
bool Alive(const PreparedCell& prepared) {
  pollfd ended{prepared.cell->ended().get(), POLLIN, 0};
  return ::poll(&ended, 1, 0) == 0;
}

}  // namespace

WarmPool::WarmPool(CellFactory& factory, std::size_t target)
    : factory_(factory),
      target_(target),
      disposer_([this](const std::stop_token& stop) { TakeApart(stop); }) {
  const unsigned cpus = std::max(1U, std::thread::hardware_concurrency());
  for (unsigned i = 0; i < cpus; ++i) {
    refillers_.emplace_back([this](const std::stop_token& stop) { Refill(stop); });
  }
}

WarmPool::~WarmPool() {
  for (std::jthread& refiller : refillers_) refiller.request_stop();
  disposer_.request_stop();
}

WarmPool::ShelfPtr WarmPool::ShelfFor(const CellSpec& spec) {
  const auto found = std::find_if(shelves_.begin(), shelves_.end(),
                                  [&](const ShelfPtr& shelf) { return shelf->spec == spec; });
  if (found != shelves_.end()) {
    shelves_.splice(shelves_.begin(), shelves_, found);
    return shelves_.front();
  }
  if (!usual_) usual_ = spec;
  std::size_t target = spec == *usual_ ? target_ : std::min(target_, kForOthers);
  // A container takes some tens of megabytes even while it waits.
  if (spec.backend != request::BackendKind::kNative) target = std::min(target, kOfContainers);
  shelves_.push_front(std::make_shared<Shelf>(Shelf{.spec = spec, .target = target}));
  if (shelves_.size() > kMaxSpecs) {
    Shelf& last = *shelves_.back();
    for (PreparedCell& cell : last.cells) Discard(std::move(cell));
    last.cells.clear();
    last.gone = true;
    shelves_.pop_back();
    filled_.notify_all();
  }
  return shelves_.front();
}

std::optional<PreparedCell> WarmPool::Pop(Shelf& shelf) {
  while (!shelf.cells.empty()) {
    PreparedCell prepared = std::move(shelf.cells.front());
    shelf.cells.pop_front();
    if (Alive(prepared)) return prepared;
    Discard(std::move(prepared));
  }
  return std::nullopt;
}

// A refiller has begun already: its cell is ready before one that this caller would begin now.
void WarmPool::AwaitBuilt(Shelf& shelf, std::unique_lock<std::mutex>& lock) {
  if (shelf.awaited >= shelf.building) return;
  ++shelf.awaited;
  filled_.wait(
      lock, [&] { return !shelf.cells.empty() || shelf.building < shelf.awaited || shelf.gone; });
  --shelf.awaited;
}

Result<PreparedCell> WarmPool::Take(const CellSpec& spec) {
  std::unique_lock lock(mutex_);
  const ShelfPtr shelf = ShelfFor(spec);
  shelf->failed.reset();
  shelf->rests_until = Clock::now() + RestOf(spec);
  if (shelf->cells.empty()) AwaitBuilt(*shelf, lock);
  auto ready = Pop(*shelf);
  if (!ready) ++shelf->callers;
  wanted_.notify_one();
  if (ready) return *std::move(ready);
  lock.unlock();
  auto made = factory_.Make(spec);
  lock.lock();
  --shelf->callers;
  return made;
}

std::optional<PreparedCell> WarmPool::TakeReady(const CellSpec& spec) {
  const std::lock_guard lock(mutex_);
  const ShelfPtr shelf = ShelfFor(spec);
  shelf->rests_until = Clock::now() + RestOf(spec);
  auto ready = Pop(*shelf);
  wanted_.notify_one();
  return ready;
}

void WarmPool::StandBack(std::chrono::milliseconds longer) {
  const std::lock_guard lock(mutex_);
  stands_back_until_ = Clock::now() + std::max(kRest, longer);
}

WarmPool::Quiet::Quiet(WarmPool& pool) : pool_(pool) {
  const std::lock_guard lock(pool_.mutex_);
  ++pool_.quiet_;
}

WarmPool::Quiet::~Quiet() {
  const std::lock_guard lock(pool_.mutex_);
  --pool_.quiet_;
  pool_.wanted_.notify_all();
}

// If the queue is full, the caller destroys the cell itself: that slows down callers that discard
// faster than the background thread destroys.
// fast.
void WarmPool::Discard(PreparedCell used) {
  const std::lock_guard lock(used_mutex_);
  if (used_.size() >= kMostUsed) return;
  used_.push_back(std::move(used));
  used_some_.notify_one();
}

Result<> WarmPool::Fill(const CellSpec& spec, std::size_t count) {
  std::unique_lock lock(mutex_);
  const ShelfPtr shelf = ShelfFor(spec);
  shelf->target = std::max(shelf->target, count);
  wanted_.notify_one();
  filled_.wait(lock, [&] { return shelf->gone || shelf->failed || shelf->cells.size() >= count; });
  if (shelf->gone) return Error(Kind::kUnavailable, "newer requests took the pool's room");
  if (shelf->failed) {
    return Error(Kind::kUnavailable,
                 "the pool could not build a cell: " + shelf->failed->message());
  }
  return {};
}

std::size_t WarmPool::ready(const CellSpec& spec) {
  const std::lock_guard lock(mutex_);
  for (const ShelfPtr& shelf : shelves_) {
    if (shelf->spec == spec) return shelf->cells.size();
  }
  return 0;
}

WarmPool::ShelfPtr WarmPool::Neediest() {
  ShelfPtr neediest;
  for (const ShelfPtr& shelf : shelves_) {
    if (shelf->failed || shelf->cells.size() + shelf->building >= shelf->target) continue;
    if (quiet_ > 0 && !shelf->cells.empty()) continue;
    if (!neediest || shelf->cells.size() < neediest->cells.size()) neediest = shelf;
  }
  return neediest;
}

WarmPool::Clock::time_point WarmPool::RestsUntil(const Shelf& shelf) const {
  return std::max(shelf.rests_until, stands_back_until_);
}

bool WarmPool::IsDue() {
  const ShelfPtr shelf = Neediest();
  if (!shelf) return false;
  const bool few = 2 * shelf->cells.size() <= std::min(shelf->target, kPlenty);
  const bool urgent = few && shelf->callers != 1;
  return urgent || Clock::now() >= RestsUntil(*shelf);
}

// Returns true when a cell should be built now, false when the pool is being destroyed.
bool WarmPool::AwaitNeed(std::unique_lock<std::mutex>& lock, const std::stop_token& stop) {
  while (wanted_.wait(lock, stop, [&] { return Neediest() != nullptr; })) {
    const auto rests_until = RestsUntil(*Neediest());
    if (wanted_.wait_until(lock, stop, rests_until, [&] { return IsDue(); })) return true;
    if (stop.stop_requested()) return false;
  }
  return false;
}

void WarmPool::Refill(const std::stop_token& stop) {
  std::unique_lock lock(mutex_);
  while (AwaitNeed(lock, stop)) {
    const ShelfPtr shelf = Neediest();
    ++shelf->building;
    if (IsDue()) wanted_.notify_one();  // lets another refiller start
    lock.unlock();
    auto made = factory_.Make(shelf->spec);
    lock.lock();
    --shelf->building;
    shelf->failed = made ? std::nullopt : std::optional(made.error());
    if (made && shelf->gone) {
      Discard(*std::move(made));
    } else if (made) {
      shelf->cells.push_back(*std::move(made));
    }
    filled_.notify_all();
  }
}

void WarmPool::TakeApart(const std::stop_token& stop) {
  std::unique_lock lock(used_mutex_);
  for (;;) {
    if (!used_some_.wait(lock, stop, [&] { return !used_.empty(); })) return;
    PreparedCell used = std::move(used_.front());
    used_.pop_front();
    lock.unlock();
    { const PreparedCell gone = std::move(used); }
    lock.lock();
  }
}

}  // namespace belljar::cell::pool
