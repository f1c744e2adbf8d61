// SessionPauses: pauses sessions to disk (paused.h) and resumes them.
//
// A paused session takes no memory and survives this process. It keeps its id when it is resumed. A
// failed operation changes nothing: the session lives until its record is on disk, and the record
// stays until the session lives again.
//
// Thread-safe. The members of Means must outlive it.
#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <set>
#include <string>

#include "run/session/archive.h"
#include "run/session/checkpoints.h"
#include "run/session/factory.h"
#include "run/session/paused.h"
#include "run/session/table.h"
#include "run/snapshot/store.h"

namespace belljar::run {

class SessionPauses {
 public:
  struct Means {
    SessionTable& table;
    SessionCheckpoints& checkpoints;
    SessionFactory& factory;
    Paused& paused;
    snapshot::Store& trees;
    SessionArchive* archive;  // may be null
  };
  explicit SessionPauses(const Means& means) : means_(means) {}

  Result<SessionInfo> Pause(const std::string& caller, const std::string& handle);
  // `admit` checks the caller's quotas for such a session; its return value becomes
  // SessionWish::holds.
  using Admit = std::function<Result<std::shared_ptr<void>>(const request::Request& shape)>;
  Result<SessionInfo> Resume(const std::string& caller, const std::string& handle,
                             const Admit& admit);
  // Ends a paused session. False: there is no such paused session.
  Result<bool> End(const std::string& caller, const std::string& handle, const Origin& by);

 private:
  class Quiet;
  class Claim;

  Result<> Record(const SessionInfo& info, Turning what);
  PausedSession RecordOf(const SessionEntry& entry, const SavedSession& saved);
  Result<EntryPtr> ResumePaused(const PausedSession& record, const SessionWish& wish);

  const Means means_;
  std::mutex mutex_;
  std::set<std::string> claimed_;  // ids of sessions being paused, resumed or ended
};

// Copies the trace context of the request that ends a session into `info`.
void MarkEnd(const Origin& by, SessionInfo& info);

}  // namespace belljar::run
