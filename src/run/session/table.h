// SessionTable: every living session of this process, each with its owner, from its beginning to
// its end.
//
// A caller sees its own sessions only; another's are not found, as if they were not there. In a
// session one run goes on at a time, and others wait their turn in order, a bounded number of them.
// A session that lies idle for too long, or whose program has gone, is ended; a thread looks every
// second. What has ended is remembered for a while, with the reason.
//
// The archive, if there is one, is told before a session is given out, after it was used, and when
// it has ended.
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

  // A living one, by its id or its name.
  Result<EntryPtr> Find(const std::string& caller, const std::string& handle);
  // Living and paused ones.
  std::vector<SessionInfo> List(const std::string& caller);
  // Also one that has ended.
  Result<SessionInfo> Show(const std::string& caller, const std::string& handle);
  SessionInfo InfoOf(const SessionEntry& entry);
  std::size_t living();
  Result<> CheckRoom(std::size_t more);
  Result<> CheckName(const std::string& caller, const std::string& name);

  // A row for a session that others do not see yet.
  Result<EntryPtr> NewEntry(const std::string& caller, const SessionWish& wish,
                            SessionFactory::LivePtr live);
  // From here on others see them.
  Result<> Publish(std::span<const EntryPtr> fresh);
  // What owns a living session: taken apart without making anybody wait.
  std::shared_ptr<LiveSession> Owned(SessionFactory::LivePtr live);

  // Waits for a turn at a session, and gives it back at its end. The caller that goes away while it
  // waits, has none.
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

  // Held while what it guards of entries is read or changed.
  std::unique_lock<std::mutex> Lock() { return std::unique_lock(mutex_); }
  // Its files may have changed. `seen`: what is in the workspace, where that is known.
  using Seen = std::optional<Listing>;
  void NoteUse(const SessionEntry& entry, const LiveSession& live, const Seen& seen = {});
  // The end of a session, once.
  void Close(const EntryPtr& entry, const std::string& because);
  // Ends the processes of a session that is out of the table.
  void TearDown(const SessionEntry& entry);
  // Takes it out of the table to be paused. False: it has ended meanwhile.
  bool PutAside(SessionEntry& entry);
  // An error of what was done to a session, or, if that has ended meanwhile, that it has.
  Error UnlessEnded(const SessionEntry& entry, Error error);

 private:
  // Takes it out of the table, with the lock held. False if that has been done.
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
  std::condition_variable_any watch_;        // only ever woken by the end
  std::map<std::string, EntryPtr> entries_;  // by id, living
  std::list<SessionInfo> ended_;             // newest first
  std::jthread watchdog_;                    // last: it uses all of the above
};

Error NoSuchSession(const std::string& handle);
Error EndedMeanwhile(const SessionInfo& info);

}  // namespace belljar::run
