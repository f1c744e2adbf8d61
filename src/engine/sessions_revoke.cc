// What is taken away from the sessions in sessions.h while they live, for good: whatever they go
// back to, and whatever goes on from them, does not have it either.
#include <fmt/format.h>

#include "engine/network.h"
#include "engine/session_entry.h"

namespace belljar::engine {

Result<> Sessions::RevokeNetwork(const std::string& caller, const std::string& handle) {
  const EntryPtr entry = BJ_TRY(Find(caller, handle));
  std::shared_ptr<LiveSession> live;
  {
    const std::lock_guard lock(mutex_);
    live = entry->live;
    entry->network_revoked = true;
  }
  if (live && live->network()) return live->network()->Revoke();
  return Error(Kind::kNotFound, fmt::format("session \"{}\" has no network", handle));
}

Result<> Sessions::RevokeCalls(const std::string& caller, const std::string& handle, Called what) {
  const EntryPtr entry = BJ_TRY(Find(caller, handle));
  std::shared_ptr<LiveSession> live;
  Origin session;
  {
    const std::lock_guard lock(mutex_);
    live = entry->live;
    session.session_id = entry->info.id;
  }
  if (!live || !live->seat()) {
    return Error(Kind::kNotFound, fmt::format("session \"{}\" has no tools or databases", handle));
  }
  (what == Called::kTools ? entry->revoked->tools : entry->revoked->databases) = true;
  session.caller = caller;
  return engine_.tools().RevokeOfSession(session, what);
}

// With the turn. A network may have been taken away by the id of a run, too.
bool Sessions::HasLostNetwork(Entry& entry) {
  const bool lost = entry.live && entry.live->network() && entry.live->network()->revoked();
  const std::lock_guard lock(mutex_);
  entry.network_revoked = entry.network_revoked || lost;
  return entry.network_revoked;
}

Result<> Sessions::CopyRevocations(Entry& from, Entry& to) {
  to.network_revoked = HasLostNetwork(from);
  to.revoked->tools = from.revoked->tools.load();
  to.revoked->databases = from.revoked->databases.load();
  return KeepLost(to);
}

// What was taken away while its cell was being made.
Result<> Sessions::KeepLost(Entry& entry) {
  const auto& network = entry.live->network();
  if (!network || !HasLostNetwork(entry)) return {};
  return network->Revoke();
}

}  // namespace belljar::engine
