// SessionCheckpoints: checkpoint, rollback and fork of sessions.
//
// A checkpoint waits for its turn as runs do: interpreter and workspace are saved together, and a
// restore uses a new cell. After a run that had to be killed, the session is restored from its
// newest checkpoint, if there is one; a policy can demand that for other outcomes, too.
//
// Thread-safe. The members of Means must outlive it.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "run/cells.h"
#include "run/record.h"
#include "run/session/factory.h"
#include "run/session/revocations.h"
#include "run/session/table.h"
#include "run/snapshot/store.h"

namespace belljar::run {

class SessionCheckpoints {
 public:
  struct Means {
    SessionTable& table;
    SessionRevocations& revocations;
    SessionFactory& factory;
    Cells& cells;
    Recorder& recorder;
    snapshot::Store& trees;
    const std::string& state_dir;
  };
  SessionCheckpoints(const Means& means, const SessionBounds& bounds)
      : means_(means), bounds_(bounds) {}

  Result<CheckpointInfo> Make(const std::string& caller, const std::string& handle);
  // Oldest first.
  Result<std::vector<CheckpointInfo>> List(const std::string& caller, const std::string& handle);
  Result<> Drop(const std::string& caller, const std::string& handle,
                const std::string& checkpoint);
  // On an error nothing has changed.
  Result<SessionInfo> Rollback(const std::string& caller, const std::string& handle,
                               const std::string& checkpoint);
  // One new session for each of `holds` (SessionWish::holds), all or none.
  Result<std::vector<SessionInfo>> Fork(const std::string& caller, const std::string& handle,
                                        const std::vector<std::shared_ptr<void>>& holds);

  // For callers that hold the session's turn.
  Result<SavedPtr> Save(SessionEntry& entry);
  Result<SessionFactory::LivePtr> Restore(SessionEntry& entry, const SavedSession& saved,
                                          snapshot::Memory& files_seen, cell::guest::RestoreAs as);
  // After a run that ended the session: restores the newest checkpoint, if any, and returns its id.
  std::optional<std::string> RestoreNewest(SessionEntry& entry, const Result<RunResult>& result);
  // After a failed run that the session survived: rolls back if the policy demands it, and returns
  // the checkpoint's id.
  std::optional<std::string> RollBackByPolicy(SessionEntry& entry, const Run& run,
                                              Result<RunResult>& result);

 private:
  using Holds = std::vector<std::shared_ptr<void>>;
  std::uint64_t HeldBySaved(const SessionEntry& entry);
  Result<> Replace(SessionEntry& entry, const SavedSession& saved);
  Result<SavedPtr> Find(SessionEntry& entry, const std::string& id);
  SavedPtr Newest(SessionEntry& entry);
  Result<EntryPtr> Branch(SessionEntry& entry, const SavedSession& saved,
                          std::shared_ptr<void> holds);
  Result<std::vector<EntryPtr>> Branches(SessionEntry& entry, const SavedSession& saved,
                                         const Holds& holds);

  const Means means_;
  const SessionBounds bounds_;
};

}  // namespace belljar::run
