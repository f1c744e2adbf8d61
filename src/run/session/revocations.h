// SessionRevocations: permanent revocation of a session's network, tools or databases. A rollback
// does not restore them, and forks and resumed sessions inherit the revocation.
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

  // Revokes the network, during a run or between runs.
  Result<> RevokeNetwork(const std::string& caller, const std::string& handle);
  // The same for tools or databases.
  Result<> RevokeCalls(const std::string& caller, const std::string& handle, Called what);

  // Whether the session has lost its network, revoked by session id or by run id. Hold the
  // session's turn.
  bool HasLostNetwork(SessionEntry& entry);
  // Applies the revocations of `from` to a session forked from it.
  Result<> CopyRevocations(SessionEntry& from, SessionEntry& to);
  // Applies to a new cell the revocations that happened while it was being made.
  Result<> KeepLost(SessionEntry& entry);

 private:
  SessionTable& table_;
  Tools& tools_;
};

}  // namespace belljar::run
