#include "run/session/revocations.h"

#include <fmt/format.h>

#include "run/network.h"

namespace belljar::run {

Result<> SessionRevocations::RevokeNetwork(const std::string& caller, const std::string& handle) {
  const EntryPtr entry = BJ_TRY(table_.Find(caller, handle));
  std::shared_ptr<LiveSession> live;
  {
    const auto lock = table_.Lock();
    live = entry->live;
    entry->network_revoked = true;
  }
  if (live && live->network()) return live->network()->Revoke();
  return Error(Kind::kNotFound, fmt::format("session \"{}\" has no network", handle));
}

Result<> SessionRevocations::RevokeCalls(const std::string& caller, const std::string& handle,
                                         Called what) {
  const EntryPtr entry = BJ_TRY(table_.Find(caller, handle));
  std::shared_ptr<LiveSession> live;
  Origin session;
  {
    const auto lock = table_.Lock();
    live = entry->live;
    session.session_id = entry->info.id;
  }
  if (!live || !live->seat()) {
    return Error(Kind::kNotFound, fmt::format("session \"{}\" has no tools or databases", handle));
  }
  (what == Called::kTools ? entry->revoked->tools : entry->revoked->databases) = true;
  session.caller = caller;
  return tools_.RevokeOfSession(session, what);
}

bool SessionRevocations::HasLostNetwork(SessionEntry& entry) {
  const bool lost = entry.live && entry.live->network() && entry.live->network()->revoked();
  const auto lock = table_.Lock();
  entry.network_revoked = entry.network_revoked || lost;
  return entry.network_revoked;
}

Result<> SessionRevocations::CopyRevocations(SessionEntry& from, SessionEntry& to) {
  to.network_revoked = HasLostNetwork(from);
  to.revoked->tools = from.revoked->tools.load();
  to.revoked->databases = from.revoked->databases.load();
  return KeepLost(to);
}

Result<> SessionRevocations::KeepLost(SessionEntry& entry) {
  const auto& network = entry.live->network();
  if (!network || !HasLostNetwork(entry)) return {};
  return network->Revoke();
}

}  // namespace belljar::run
