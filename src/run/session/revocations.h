// SessionRevocations: what is taken away from sessions while they live, for good: what a session
// goes back to, and what goes on from it, does not have it either.
//
// Thread-safe. Table and tools must outlive it.
#pragma once

#include <string>

#include "run/session/table.h"
#include "run/tools.h"

namespace belljar::run {

class SessionRevocations {
 public:
  SessionRevocations(SessionTable& table, Tools& tools) : table_(table), tools_(tools) {}

  // Takes its network away, while a run goes on or not.
  Result<> RevokeNetwork(const std::string& caller, const std::string& handle);
  // The same for tools or databases.
  Result<> RevokeCalls(const std::string& caller, const std::string& handle, Called what);

  // With the session's turn: whether it has lost its network, by its own id or by a run's.
  bool HasLostNetwork(SessionEntry& entry);
  // A session that goes on from another one has lost what that one has.
  Result<> CopyRevocations(SessionEntry& from, SessionEntry& to);
  // Takes away from a new cell what was taken away while it was being made.
  Result<> KeepLost(SessionEntry& entry);

 private:
  SessionTable& table_;
  Tools& tools_;
};

}  // namespace belljar::run
