#include "session/pool.h"

#include <poll.h>

#include <algorithm>
#include <utility>

namespace belljar::session {
namespace {

constexpr std::chrono::milliseconds kRest{3};

// A guest that waits has nothing to say; one that has ended makes its pidfd readable.
bool Alive(const PreparedCell& prepared) {
  pollfd ended{prepared.cell->guest_pidfd().get(), POLLIN, 0};
  return ::poll(&ended, 1, 0) == 0;
}

}  // namespace

WarmPool::WarmPool(CellFactory& factory, std::size_t target)
    : factory_(factory),
      target_(target),
      refiller_([this](const std::stop_token& stop) { Refill(stop); }),
      undertaker_([this](const std::stop_token& stop) { TakeApart(stop); }) {}

WarmPool::~WarmPool() {
  refiller_.request_stop();
  undertaker_.request_stop();
}

WarmPool::Shelf& WarmPool::ShelfFor(const isolate::CellSpec& spec) {
  const auto found = std::find_if(shelves_.begin(), shelves_.end(),
                                  [&](const Shelf& shelf) { return shelf.spec == spec; });
  if (found != shelves_.end()) {
    shelves_.splice(shelves_.begin(), shelves_, found);
  } else {
    shelves_.push_front({spec, target_, {}, false, {}});
    if (shelves_.size() > kMaxSpecs) {
      for (PreparedCell& cell : shelves_.back().cells) Discard(std::move(cell));
      shelves_.pop_back();
      filled_.notify_all();
    }
  }
  return shelves_.front();
}

Result<PreparedCell> WarmPool::Take(const isolate::CellSpec& spec) {
  {
    const std::lock_guard lock(mutex_);
    Shelf& shelf = ShelfFor(spec);
    shelf.failed = false;
    shelf.rests_until = Clock::now() + kRest;
    wanted_.notify_one();
    while (!shelf.cells.empty()) {
      PreparedCell prepared = std::move(shelf.cells.front());
      shelf.cells.pop_front();
      if (Alive(prepared)) return prepared;
      Discard(std::move(prepared));
    }
  }
  return factory_.Make(spec);
}

void WarmPool::Discard(PreparedCell used) {
  const std::lock_guard lock(used_mutex_);
  used_.push_back(std::move(used));
  used_some_.notify_one();
}

Result<> WarmPool::Fill(const isolate::CellSpec& spec, std::size_t count) {
  std::unique_lock lock(mutex_);
  Shelf& wanted = ShelfFor(spec);
  wanted.target = std::max(wanted.target, count);
  wanted_.notify_one();
  // Looked up anew each time: newer specs may push this one out meanwhile.
  const Shelf* shelf = nullptr;
  filled_.wait(lock, [&] {
    shelf = Find(spec);
    return shelf == nullptr || shelf->failed || shelf->cells.size() >= count;
  });
  if (shelf == nullptr) return Error(Kind::kUnavailable, "newer requests took the pool's room");
  if (shelf->failed) return Error(Kind::kUnavailable, "the pool could not build a cell");
  return {};
}

std::size_t WarmPool::ready(const isolate::CellSpec& spec) {
  const std::lock_guard lock(mutex_);
  const Shelf* const shelf = Find(spec);
  return shelf == nullptr ? 0 : shelf->cells.size();
}

WarmPool::Shelf* WarmPool::Find(const isolate::CellSpec& spec) {
  for (Shelf& shelf : shelves_) {
    if (shelf.spec == spec) return &shelf;
  }
  return nullptr;
}

WarmPool::Shelf* WarmPool::Neediest() {
  Shelf* neediest = nullptr;
  for (Shelf& shelf : shelves_) {
    if (shelf.failed || shelf.cells.size() >= shelf.target) continue;
    if (neediest == nullptr || shelf.cells.size() < neediest->cells.size()) neediest = &shelf;
  }
  return neediest;
}

bool WarmPool::IsDue() {
  const Shelf* const shelf = Neediest();
  return shelf != nullptr &&
         (2 * shelf->cells.size() <= shelf->target || Clock::now() >= shelf->rests_until);
}

// Returns when a cell is to be built now, or false when the pool ends.
bool WarmPool::AwaitNeed(std::unique_lock<std::mutex>& lock, const std::stop_token& stop) {
  while (wanted_.wait(lock, stop, [&] { return Neediest() != nullptr; })) {
    const auto rests_until = Neediest()->rests_until;
    if (wanted_.wait_until(lock, stop, rests_until, [&] { return IsDue(); })) return true;
  }
  return false;
}

void WarmPool::Refill(const std::stop_token& stop) {
  std::unique_lock lock(mutex_);
  while (AwaitNeed(lock, stop)) {
    const isolate::CellSpec spec = Neediest()->spec;
    lock.unlock();
    auto made = factory_.Make(spec);
    lock.lock();
    Shelf* const shelf = Find(spec);
    if (shelf != nullptr && made) {
      shelf->cells.push_back(*std::move(made));
    } else if (shelf != nullptr) {
      shelf->failed = true;
    } else if (made) {
      Discard(*std::move(made));
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

}  // namespace belljar::session
