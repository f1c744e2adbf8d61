// The end of the sessions in sessions.h that nobody uses.
#include <fmt/format.h>

#include "engine/session_entry.h"

namespace belljar::engine {
namespace {

using Steady = std::chrono::steady_clock;

constexpr std::chrono::milliseconds kWatchInterval{1000};

}  // namespace

// Why a session that nobody uses now should end, if it should.
std::optional<std::string> Sessions::WhyIdleEnds(const Entry& entry) {
  if (!entry.queue.empty()) return std::nullopt;
  if (!entry.live->alive()) return "its program has ended";
  if (Steady::now() - entry.idle_since <= entry.wish.idle) return std::nullopt;
  return fmt::format("nobody used it for {:g} s",
                     static_cast<double>(entry.wish.idle.count()) / 1000.0);
}

void Sessions::EndIdle() {
  std::vector<EntryPtr> due;
  {
    const std::lock_guard lock(mutex_);
    std::vector<EntryPtr> all;
    for (const auto& [id, entry] : entries_) all.push_back(entry);
    for (const EntryPtr& entry : all) {
      const auto why = WhyIdleEnds(*entry);
      if (why && Detach(*entry, *why)) due.push_back(entry);
    }
  }
  for (const EntryPtr& entry : due) TearDown(*entry);
}

void Sessions::Watch(const std::stop_token& stop) {
  while (!stop.stop_requested()) {
    {
      std::unique_lock lock(mutex_);
      watch_.wait_for(lock, stop, kWatchInterval, [] { return false; });
    }
    EndIdle();
  }
}

}  // namespace belljar::engine
