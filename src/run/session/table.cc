#include "run/session/table.h"

#include <fmt/format.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>

#include "foundation/base/random_id.h"
#include "foundation/base/sys.h"
#include "run/supervise.h"

namespace belljar::run {
namespace {

using std::chrono::milliseconds;
using std::chrono::system_clock;
using Steady = std::chrono::steady_clock;

constexpr milliseconds kQueueLook{100};
constexpr milliseconds kWatchInterval{1000};
constexpr std::size_t kClosers = 16;  // threads

}  // namespace

Error NoSuchSession(const std::string& handle) {
  return Error(Kind::kNotFound, fmt::format("there is no session \"{}\"", handle));
}

Error EndedMeanwhile(const SessionInfo& info) {
  return Error(Kind::kNotFound,
               fmt::format("session \"{}\" has ended meanwhile: {}", info.id, info.ended_because));
}

std::string_view SessionStateName(SessionState state) {
  switch (state) {
    case SessionState::kIdle:
      return "idle";
    case SessionState::kRunning:
      return "running";
    case SessionState::kPaused:
      return "paused";
    case SessionState::kEnded:
      return "ended";
  }
  return "ended";
}

SessionTable::SessionTable(SessionFactory& factory, const SessionBounds& bounds,
                           const Paused& paused, SessionArchive* archive)
    : factory_(factory),
      bounds_(bounds),
      paused_(paused),
      archive_(archive),
      watchdog_([this](const std::stop_token& stop) { WatchIdle(stop); }) {}

SessionTable::~SessionTable() {
  watchdog_.request_stop();
  CloseAll(All(), "Belljar stopped");
}

std::vector<EntryPtr> SessionTable::All() {
  const std::lock_guard lock(mutex_);
  std::vector<EntryPtr> all;
  for (const auto& [id, entry] : entries_) all.push_back(entry);
  return all;
}

// Closes sessions in parallel, so that their database writes share the wait for the disk.
void SessionTable::CloseAll(const std::vector<EntryPtr>& all, const std::string& because) {
  std::atomic<std::size_t> next{0};
  const auto work = [&] {
    for (std::size_t i = next++; i < all.size(); i = next++) Close(all[i], because);
  };
  std::vector<std::jthread> threads;
  for (std::size_t i = 1; i < std::min<std::size_t>(all.size(), kClosers); ++i) {
    threads.emplace_back(work);
  }
  work();
}

Result<> SessionTable::CheckRoom(std::size_t more) {
  const std::lock_guard lock(mutex_);
  if (entries_.size() + more <= bounds_.sessions) return {};
  return Error(Kind::kExhausted, fmt::format("there are {} sessions already, of {} at the most",
                                             entries_.size(), bounds_.sessions));
}

Result<> SessionTable::CheckName(const std::string& caller, const std::string& name) {
  if (name.empty()) return {};
  {
    const std::lock_guard lock(mutex_);
    for (const auto& [id, other] : entries_) {
      if (other->info.caller == caller && other->info.name == name) {
        return Error(Kind::kInvalid, fmt::format("there is a session \"{}\" already", name));
      }
    }
  }
  if (!paused_.Find(caller, name)) return {};
  return Error(Kind::kInvalid, fmt::format("there is a paused session \"{}\" already", name));
}

Result<EntryPtr> SessionTable::NewEntry(const std::string& caller, const SessionWish& wish,
                                        SessionFactory::LivePtr live) {
  auto entry = std::make_shared<SessionEntry>();
  entry->live = Owned(std::move(live));
  entry->interrupt = Fd(static_cast<int>(BJ_TRY(
      Check("eventfd", "a session", [] { return ::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK); }))));
  entry->wish = wish;
  entry->info.id = BJ_TRY(RandomId("s-"));
  entry->info.name = wish.name;
  entry->info.caller = caller;
  entry->info.lang = wish.shape.lang;
  entry->info.image = wish.shape.image;
  entry->info.backend = entry->live->backend();
  entry->info.level = wish.shape.level;
  entry->info.correlation_id = wish.correlation_id;
  entry->info.traceparent = wish.traceparent;
  entry->info.created = entry->info.last_used = system_clock::now();
  return entry;
}

std::shared_ptr<LiveSession> SessionTable::Owned(SessionFactory::LivePtr live) {
  return {live.release(), [&factory = factory_](LiveSession* ended) {
            factory.End(std::move(*ended));
            delete ended;
          }};
}

Result<> SessionTable::Publish(std::span<const EntryPtr> fresh) {
  if (archive_ != nullptr) BJ_TRY(Register(fresh));
  for (const EntryPtr& entry : fresh) {
    NoteUse(*entry, *entry->live);
    const std::lock_guard lock(mutex_);
    entries_[entry->info.id] = entry;
  }
  return {};
}

// Every failure of the archive becomes "unavailable" for the caller.
Result<> SessionTable::Register(std::span<const EntryPtr> fresh) {
  std::vector<SessionInfo> infos;
  for (const EntryPtr& entry : fresh) infos.push_back(entry->info);
  const auto began = archive_->Began(infos).While("register session");
  if (began) return {};
  return Error(Kind::kUnavailable, began.error().message(), began.error().sys());
}

Result<EntryPtr> SessionTable::Find(const std::string& caller, const std::string& handle) {
  const std::lock_guard lock(mutex_);
  const auto by_id = entries_.find(handle);
  if (by_id != entries_.end() && by_id->second->info.caller == caller) return by_id->second;
  for (const auto& [id, entry] : entries_) {
    if (entry->info.caller == caller && !entry->info.name.empty() && entry->info.name == handle) {
      return entry;
    }
  }
  if (paused_.Find(caller, handle)) {
    return Error(Kind::kInvalid, fmt::format("session \"{}\" is paused: resume it first", handle));
  }
  for (const SessionInfo& ended : ended_) {
    if (ended.caller == caller && ended.id == handle) {
      return Error(Kind::kNotFound,
                   fmt::format("session \"{}\" has ended: {}", handle, ended.ended_because));
    }
  }
  return NoSuchSession(handle);
}

std::vector<SessionInfo> SessionTable::List(const std::string& caller) {
  const std::lock_guard lock(mutex_);
  std::vector<SessionInfo> found;
  for (const auto& [id, entry] : entries_) {
    if (entry->info.caller == caller) found.push_back(entry->info);
  }
  std::ranges::move(paused_.List(caller), std::back_inserter(found));
  std::ranges::sort(found, {}, &SessionInfo::created);
  return found;
}

Result<SessionInfo> SessionTable::Show(const std::string& caller, const std::string& handle) {
  {
    const std::lock_guard lock(mutex_);
    for (const SessionInfo& ended : ended_) {
      if (ended.caller == caller && ended.id == handle) return ended;
    }
  }
  if (const auto paused = paused_.Find(caller, handle)) return paused->info;
  const EntryPtr entry = BJ_TRY(Find(caller, handle));
  return InfoOf(*entry);
}

SessionInfo SessionTable::InfoOf(const SessionEntry& entry) {
  const std::lock_guard lock(mutex_);
  return entry.info;
}

std::size_t SessionTable::living() {
  const std::lock_guard lock(mutex_);
  return entries_.size();
}

Result<SessionTable::Turn> SessionTable::Turn::Take(SessionTable& table, const EntryPtr& entry,
                                                    const Requester& requester) {
  BJ_TRY(table.TakeTurn(*entry, requester));
  return Turn(table, entry);
}

SessionTable::Turn::~Turn() {
  if (entry_) table_.EndTurn(*entry_);
}

Result<> SessionTable::TakeTurn(SessionEntry& entry, const Requester& requester) {
  std::unique_lock lock(mutex_);
  if (entry.queue.size() > bounds_.waiting_runs) {
    return Error(Kind::kExhausted, fmt::format("{} runs are waiting for session \"{}\" already",
                                               bounds_.waiting_runs, entry.info.id));
  }
  const auto mine = entry.queue.insert(entry.queue.end(), entry.next_ticket++);
  // A run that waits here uses no CPU, so its slot is released meanwhile.
  const bool waits = entry.queue.begin() != mine;
  const auto released = waits && requester.release_slot ? requester.release_slot() : nullptr;
  while (!entry.closed && entry.queue.begin() != mine && !IsCancelled(requester.cancel)) {
    changed_.wait_for(lock, kQueueLook);
  }
  if (!entry.closed && entry.queue.begin() == mine) {
    entry.info.state = SessionState::kRunning;
    return {};
  }
  entry.queue.erase(mine);
  if (entry.closed) return NoSuchSession(entry.info.id);
  return Error(Kind::kUnavailable, "the caller has gone");
}

void SessionTable::EndTurn(SessionEntry& entry) {
  const std::lock_guard lock(mutex_);
  entry.queue.pop_front();
  entry.info.last_used = system_clock::now();
  entry.idle_since = Steady::now();
  if (!entry.closed) entry.info.state = SessionState::kIdle;
  changed_.notify_all();
}

void SessionTable::NoteUse(const SessionEntry& entry, const LiveSession& live, const Seen& seen) {
  if (archive_ != nullptr) archive_->Used(entry.info.id, live.workspace(), seen ? &*seen : nullptr);
}

bool SessionTable::Detach(SessionEntry& entry, const std::string& because) {
  if (std::exchange(entry.closed, true)) return false;
  entries_.erase(entry.info.id);
  entry.info.state = SessionState::kEnded;
  entry.info.ended_because = because;
  ended_.push_front(entry.info);
  if (ended_.size() > bounds_.remembered) ended_.pop_back();
  changed_.notify_all();
  return true;
}

void SessionTable::Close(const EntryPtr& entry, const std::string& because) {
  {
    const std::lock_guard lock(mutex_);
    if (!Detach(*entry, because)) return;
  }
  TearDown(*entry);
}

bool SessionTable::PutAside(SessionEntry& entry) {
  const std::lock_guard lock(mutex_);
  if (entry.closed) return false;
  entry.info.ended_by_caller = true;  // so that nothing else is kept of it
  Detach(entry, "it was paused");
  std::erase_if(ended_, [&](const SessionInfo& info) { return info.id == entry.info.id; });
  return true;
}

void SessionTable::TearDown(const SessionEntry& entry) {
  std::shared_ptr<LiveSession> live;
  SessionInfo info;
  {
    const std::lock_guard lock(mutex_);
    live = entry.live;  // a rollback may be replacing it
    info = entry.info;
  }
  // The interrupt makes a current run report that it was ended, instead of a death by signal.
  const std::uint64_t one = 1;
  const ssize_t ignored = ::write(entry.interrupt.get(), &one, sizeof(one));
  static_cast<void>(ignored);
  live->Kill();
  if (archive_ != nullptr) archive_->Ended(info, live->workspace());
}

// Operations on a session that is being torn down fail; the error then says that it has ended.
Error SessionTable::UnlessEnded(const SessionEntry& entry, Error error) {
  const std::lock_guard lock(mutex_);
  return entry.closed ? EndedMeanwhile(entry.info) : std::move(error);
}

// Why an unused session should end; nullopt if it should not.
std::optional<std::string> SessionTable::WhyIdleEnds(const SessionEntry& entry) {
  if (!entry.queue.empty()) return std::nullopt;
  if (!entry.live->alive()) return "its program has ended";
  if (Steady::now() - entry.idle_since <= entry.wish.idle) return std::nullopt;
  return fmt::format("nobody used it for {:g} s",
                     static_cast<double>(entry.wish.idle.count()) / 1000.0);
}

void SessionTable::EndIdle() {
  std::vector<EntryPtr> due;
  const std::vector<EntryPtr> all = All();
  {
    const std::lock_guard lock(mutex_);
    for (const EntryPtr& entry : all) {
      const auto why = entry->closed ? std::nullopt : WhyIdleEnds(*entry);
      if (why && Detach(*entry, *why)) due.push_back(entry);
    }
  }
  for (const EntryPtr& entry : due) TearDown(*entry);
}

void SessionTable::WatchIdle(const std::stop_token& stop) {
  while (!stop.stop_requested()) {
    {
      std::unique_lock lock(mutex_);
      watch_.wait_for(lock, stop, kWatchInterval, [] { return false; });
    }
    EndIdle();
  }
}

}  // namespace belljar::run
