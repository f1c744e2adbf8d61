#include "foundation/storage/gate.h"

namespace belljar::storage {

std::optional<Gate::Turn> Gate::Enter(std::chrono::milliseconds patience) {
  std::unique_lock lock(mutex_);
  const auto me = std::this_thread::get_id();
  const auto free_for_me = [&] { return depth_ == 0 || owner_ == me; };
  const auto deadline = std::chrono::steady_clock::now() + patience;
  if (!freed_.wait_until(lock, deadline, free_for_me)) return std::nullopt;
  owner_ = me;
  ++depth_;
  return Turn(this);
}

void Gate::Leave() {
  const std::lock_guard lock(mutex_);
  if (--depth_ == 0) freed_.notify_one();
}

}  // namespace belljar::storage
