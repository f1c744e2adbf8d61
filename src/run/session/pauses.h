// SessionPauses: sessions put aside on disk (paused.h), and resumed.
//
// A paused session takes no memory, and is still there when this process is not. It has the same id
// when it goes on. An error has changed nothing: the session lives until its record is on disk, and
// the record stays until the session lives.
//
// Thread-safe. What it is made with must outlive it.
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
  // `admit` says whether the caller may have such a session now: what it returns is
  // SessionWish::holds.
  using Admit = std::function<Result<std::shared_ptr<void>>(const request::Request& shape)>;
  Result<SessionInfo> Resume(const std::string& caller, const std::string& handle,
                             const Admit& admit);
  // The end of a paused one. False: there is no such paused session.
  Result<bool> End(const std::string& caller, const std::string& handle, const Origin& by);

 private:
  class Quiet;
  class Claim;

  Result<> Record(const SessionInfo& info, Turning what);
  PausedSession RecordOf(const SessionEntry& entry, const SavedSession& saved);
  Result<EntryPtr> ResumePaused(const PausedSession& record, const SessionWish& wish);

  const Means means_;
  std::mutex mutex_;
  std::set<std::string> claimed_;  // ids of those that are being paused, resumed or ended
};

// What the request that ends a session says of itself is told with its end.
void MarkEnd(const Origin& by, SessionInfo& info);

}  // namespace belljar::run
