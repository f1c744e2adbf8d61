// SessionCheckpoints: sessions saved, gone back to and forked.
//
// A checkpoint takes a turn as runs do: interpreter and workspace are saved together, and what is
// restored starts in a cell of its own. A run that had to be killed is followed by the newest
// checkpoint, if there is one; a policy can want that of other ends, too.
//
// Thread-safe. What it is made with must outlive it.
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
  // An error has changed nothing.
  Result<SessionInfo> Rollback(const std::string& caller, const std::string& handle,
                               const std::string& checkpoint);
  // One new session for each of `holds` (SessionWish::holds), all or none.
  Result<std::vector<SessionInfo>> Fork(const std::string& caller, const std::string& handle,
                                        const std::vector<std::shared_ptr<void>>& holds);

  // With the session's turn, for those who have it.
  Result<SavedPtr> Save(SessionEntry& entry);
  Result<SessionFactory::LivePtr> Restore(SessionEntry& entry, const SavedSession& saved,
                                          snapshot::Memory& files_seen, cell::guest::RestoreAs as);
  // After a run that was the session's end: the id of the checkpoint that it goes on from, if any.
  std::optional<std::string> RestoreNewest(SessionEntry& entry, const Result<RunResult>& result);
  // After a run that a living session has survived: the id of the checkpoint that it has gone back
  // to, because the policy wants that of a run that did not end well.
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
