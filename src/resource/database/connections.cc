#include "resource/database/connections.h"

#include <fmt/format.h>

#include <algorithm>

namespace belljar::resource::database {

bool DatabaseConnections::HasRoom(const Of& of, const Wish& wish) {
  const std::uint64_t for_writes = std::max<std::uint64_t>(wish.most / 2, 1);
  return of.open < wish.most && (wish.use == Use::kRead || of.writing < for_writes);
}

// Whether the wish is the first in the queue that has room; a read can pass a write that has none.
bool DatabaseConnections::IsNext(const Of& of, const Wish& wish) {
  const auto first =
      std::ranges::find_if(of.waiting, [&](const Wish* waiting) { return HasRoom(of, *waiting); });
  return first != of.waiting.end() && *first == &wish;
}

Result<DatabaseConnections::Turn> DatabaseConnections::Take(const Wish& wish,
                                                            std::chrono::milliseconds patience,
                                                            const std::stop_token& stop) {
  const auto deadline = std::chrono::steady_clock::now() + patience;
  std::unique_lock lock(mutex_);
  Of& of = of_[wish.which];
  of.waiting.push_back(&wish);
  const bool taken = changed_.wait_until(lock, stop, deadline, [&] { return IsNext(of, wish); });
  of.waiting.remove(&wish);
  changed_.notify_all();  // if several turns ended at once, the next waiter may have room too
  if (taken) {
    ++of.open;
    if (wish.use == Use::kWrite) ++of.writing;
    return Turn(*this, wish.which, wish.use);
  }
  ForgetIfUnused(wish.which);
  if (stop.stop_requested()) return Error(Kind::kDenied, "the call was given up");
  return Error(Kind::kExhausted,
               fmt::format("the connections to {} that the policy allows ({}, half of them for "
                           "writes) were in use for as long as a statement may take",
                           wish.name, wish.most));
}

void DatabaseConnections::Leave(const std::string& which, Use use) {
  const std::lock_guard lock(mutex_);
  Of& of = of_.at(which);
  --of.open;
  if (use == Use::kWrite) --of.writing;
  ForgetIfUnused(which);
  changed_.notify_all();
}

void DatabaseConnections::ForgetIfUnused(const std::string& which) {
  const auto found = of_.find(which);
  if (found->second.open == 0 && found->second.waiting.empty()) of_.erase(found);
}

}  // namespace belljar::resource::database
