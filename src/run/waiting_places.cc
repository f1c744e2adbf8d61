#include "run/waiting_places.h"

#include <fmt/format.h>

namespace belljar::run {

Result<WaitingPlaces::Place> WaitingPlaces::Take(const std::string& caller) {
  const std::lock_guard lock(mutex_);
  const auto own = taken_by_.find(caller);
  if (own != taken_by_.end() && own->second >= kMostOfOne) {
    return Error(Kind::kExhausted,
                 fmt::format("{} calls of {} are waiting for people already, and no more may",
                             kMostOfOne, caller));
  }
  if (taken_ >= kMost) {
    return Error(Kind::kExhausted,
                 fmt::format("{} calls are waiting for people already, and no more may", kMost));
  }
  ++taken_;
  ++taken_by_[caller];
  return Place(*this, caller);
}

void WaitingPlaces::Leave(const std::string& caller) {
  const std::lock_guard lock(mutex_);
  --taken_;
  const auto own = taken_by_.find(caller);
  if (--own->second == 0) taken_by_.erase(own);
}

}  // namespace belljar::run
