// SessionTable: all living sessions of this process, with their owners.
//
// A caller sees its own sessions only; those of other callers are reported as not found. In a
// session one run is active at a time; a bounded number of others wait in FIFO order. A thread
// checks every second for sessions that have exceeded their idle time or whose program is gone, and
// ends them. Ended sessions are remembered for a while, with the reason.
//
// The archive, if there is one, is told before a session is given to its caller, after it was used,
// and when it has ended.
//
// Thread-safe. Factory, paused sessions and archive must outlive it.
#pragma once

#include <condition_variable>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "run/run.h"
#include "run/session/archive.h"
#include "run/session/entry.h"
#include "run/session/factory.h"
#include "run/session/paused.h"

namespace belljar::run {

class SessionTable {
 public:
  // `archive` may be null.
  SessionTable(SessionFactory& factory, const SessionBounds& bounds, const Paused& paused,
               SessionArchive* archive);
  ~SessionTable();  // ends all

  // A living session, by its id or its name.
  Result<EntryPtr> Find(const std::string& caller, const std::string& handle);
  // Living and paused sessions.
  std::vector<SessionInfo> List(const std::string& caller);
  // Also finds a session that has ended.
  Result<SessionInfo> Show(const std::string& caller, const std::string& handle);
  SessionInfo InfoOf(const SessionEntry& entry);
  std::size_t living();
  Result<> CheckRoom(std::size_t more);
  Result<> CheckName(const std::string& caller, const std::string& name);

  // Creates the entry of a session that is not visible to others yet.
  Result<EntryPtr> NewEntry(const std::string& caller, const SessionWish& wish,
                            SessionFactory::LivePtr live);
  // Makes the entries visible.
  Result<> Publish(std::span<const EntryPtr> fresh);
  // Wraps a living session in a shared pointer whose deleter tears it down without blocking.
  std::shared_ptr<LiveSession> Owned(SessionFactory::LivePtr live);

  // A turn at a session: exclusive use from Take() until destruction. Take() fails if the caller
  // disconnects while it waits.
  class Turn {
   public:
    static Result<Turn> Take(SessionTable& table, const EntryPtr& entry,
                             const Requester& requester = {});
    Turn(Turn&& other) noexcept
        : table_(other.table_), entry_(std::exchange(other.entry_, nullptr)) {}
    Turn(const Turn&) = delete;
    Turn& operator=(const Turn&) = delete;
    Turn& operator=(Turn&&) = delete;
    ~Turn();

   private:
    Turn(SessionTable& table, EntryPtr entry) : table_(table), entry_(std::move(entry)) {}

    SessionTable& table_;
    EntryPtr entry_;
  };

  // Hold it while reading or changing entries.
  std::unique_lock<std::mutex> Lock() { return std::unique_lock(mutex_); }
  // Call it when the files may have changed. `seen`: the listing of the workspace, if known.
  using Seen = std::optional<Listing>;
  void NoteUse(const SessionEntry& entry, const LiveSession& live, const Seen& seen = {});
  // Ends a session; does nothing if it has ended already.
  void Close(const EntryPtr& entry, const std::string& because);
  // Kills the processes of a session that has been removed from the table.
  void TearDown(const SessionEntry& entry);
  // Removes a session from the table in order to pause it. False: it has ended meanwhile.
  bool PutAside(SessionEntry& entry);
  // Returns `error`, or, if the session has ended meanwhile, an error that says so.
  Error UnlessEnded(const SessionEntry& entry, Error error);

 private:
  // Removes a session from the table, with the lock held. False if that has been done already.
  bool Detach(SessionEntry& entry, const std::string& because);
  Result<> TakeTurn(SessionEntry& entry, const Requester& requester);
  void EndTurn(SessionEntry& entry);
  Result<> Register(std::span<const EntryPtr> fresh);
  void CloseAll(const std::vector<EntryPtr>& all, const std::string& because);
  std::vector<EntryPtr> All();
  static std::optional<std::string> WhyIdleEnds(const SessionEntry& entry);
  void EndIdle();
  void WatchIdle(const std::stop_token& stop);

  SessionFactory& factory_;
  const SessionBounds bounds_;
  const Paused& paused_;
  SessionArchive* const archive_;
  std::mutex mutex_;
  std::condition_variable changed_;          // a turn has ended
  std::condition_variable_any watch_;        // notified only at destruction
  std::map<std::string, EntryPtr> entries_;  // by id, living
  std::list<SessionInfo> ended_;             // newest first
  std::jthread watchdog_;                    // last: it uses all of the above
};

Error NoSuchSession(const std::string& handle);
Error EndedMeanwhile(const SessionInfo& info);

}  // namespace belljar::run
