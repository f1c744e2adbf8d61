#include "engine/sessions.h"

#include <fmt/format.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>

#include "base/random_id.h"
#include "base/sys.h"
#include "engine/network.h"
#include "engine/paused.h"
#include "engine/session_entry.h"
#include "engine/supervise.h"
#include "result/workspace.h"

namespace belljar::engine {
namespace {

using namespace std::chrono_literals;
using std::chrono::milliseconds;
using std::chrono::system_clock;
using Steady = std::chrono::steady_clock;

constexpr milliseconds kQueueLook{100};
constexpr std::size_t kClosers = 16;  // threads

Error NoSuchSession(const std::string& handle) {
  return Error(Kind::kNotFound, fmt::format("there is no session \"{}\"", handle));
}

milliseconds LeftOf(const std::optional<milliseconds>& budget, milliseconds used) {
  return budget ? std::max(0ms, *budget - used) : milliseconds::max();
}

}  // namespace

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

Sessions::Sessions(Engine& engine, snapshot::Store& trees, const SessionBounds& bounds,
                   SessionWitness* witness)
    : engine_(engine),
      trees_(trees),
      bounds_(bounds),
      witness_(witness),
      paused_(std::make_unique<Paused>(engine.state_dir())),
      watchdog_([this](const std::stop_token& stop) { Watch(stop); }) {
  SavedContainer::RemoveLeftovers(engine.state_dir());
}

Sessions::~Sessions() {
  watchdog_.request_stop();
  std::vector<EntryPtr> all;
  {
    const std::lock_guard lock(mutex_);
    for (const auto& [id, entry] : entries_) all.push_back(entry);
  }
  CloseAll(all, "Belljar stopped");
}

// Side by side, so that those who write it down wait for the disk together.
void Sessions::CloseAll(const std::vector<EntryPtr>& all, const std::string& because) {
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

Result<SessionInfo> Sessions::Create(const std::string& caller, SessionWish wish) {
  BJ_TRY(CheckRoom(1));
  {
    const std::lock_guard lock(mutex_);
    for (const auto& [id, other] : entries_) {
      if (!wish.name.empty() && other->info.caller == caller && other->info.name == wish.name) {
        return Error(Kind::kInvalid, fmt::format("there is a session \"{}\" already", wish.name));
      }
    }
  }
  if (!wish.name.empty() && paused_->Find(caller, wish.name)) {
    return Error(Kind::kInvalid,
                 fmt::format("there is a paused session \"{}\" already", wish.name));
  }
  auto live = BJ_TRY(engine_.sessions().Open(wish.shape));
  const EntryPtr entry = BJ_TRY(NewEntry(caller, wish, std::move(live)));
  BJ_TRY(Publish(std::span(&entry, 1)));
  const std::lock_guard lock(mutex_);
  return entry->info;
}

Result<Sessions::EntryPtr> Sessions::NewEntry(const std::string& caller, const SessionWish& wish,
                                              std::unique_ptr<LiveSession> live) {
  auto entry = std::make_shared<Entry>();
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

// To take a cell apart takes longer than anybody should wait who is done with it.
std::shared_ptr<LiveSession> Sessions::Owned(std::unique_ptr<LiveSession> live) {
  return {live.release(), [&engine = engine_](LiveSession* ended) {
            engine.sessions().End(std::move(*ended));
            delete ended;
          }};
}

// From here on others see them.
Result<> Sessions::Publish(std::span<const EntryPtr> fresh) {
  if (witness_ != nullptr) BJ_TRY(Register(fresh));
  for (const EntryPtr& entry : fresh) {
    NotifyObserver(*entry, *entry->live);
    const std::lock_guard lock(mutex_);
    entries_[entry->info.id] = entry;
  }
  return {};
}

Result<> Sessions::CheckRoom(std::size_t more) {
  const std::lock_guard lock(mutex_);
  if (entries_.size() + more <= bounds_.sessions) return {};
  return Error(Kind::kExhausted, fmt::format("there are {} sessions already, of {} at the most",
                                             entries_.size(), bounds_.sessions));
}

// Whatever keeps the witness from it, to the caller it is: not now.
Result<> Sessions::Register(std::span<const EntryPtr> fresh) {
  std::vector<SessionInfo> infos;
  for (const EntryPtr& entry : fresh) infos.push_back(entry->info);
  const auto began = witness_->Began(infos).While("register session");
  if (began) return {};
  return Error(Kind::kUnavailable, began.error().message(), began.error().sys());
}

Result<Sessions::EntryPtr> Sessions::Find(const std::string& caller, const std::string& handle) {
  const std::lock_guard lock(mutex_);
  const auto by_id = entries_.find(handle);
  if (by_id != entries_.end() && by_id->second->info.caller == caller) return by_id->second;
  for (const auto& [id, entry] : entries_) {
    if (entry->info.caller == caller && !entry->info.name.empty() && entry->info.name == handle) {
      return entry;
    }
  }
  if (paused_->Find(caller, handle)) {
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

std::vector<SessionInfo> Sessions::List(const std::string& caller) {
  const std::lock_guard lock(mutex_);
  std::vector<SessionInfo> found;
  for (const auto& [id, entry] : entries_) {
    if (entry->info.caller == caller) found.push_back(entry->info);
  }
  std::ranges::move(paused_->List(caller), std::back_inserter(found));
  std::ranges::sort(found, {}, &SessionInfo::created);
  return found;
}

Result<SessionInfo> Sessions::Show(const std::string& caller, const std::string& handle) {
  {
    const std::lock_guard lock(mutex_);
    for (const SessionInfo& ended : ended_) {
      if (ended.caller == caller && ended.id == handle) return ended;
    }
  }
  if (const auto paused = paused_->Find(caller, handle)) return paused->info;
  const EntryPtr entry = BJ_TRY(Find(caller, handle));
  const std::lock_guard lock(mutex_);
  return entry->info;
}

Result<> Sessions::TakeTurn(Entry& entry, const Requester& requester) {
  std::unique_lock lock(mutex_);
  if (entry.queue.size() > bounds_.waiting_runs) {
    return Error(Kind::kExhausted, fmt::format("{} runs are waiting for session \"{}\" already",
                                               bounds_.waiting_runs, entry.info.id));
  }
  const auto mine = entry.queue.insert(entry.queue.end(), entry.next_ticket++);
  // Who waits here runs nothing: others have its place of the machine meanwhile.
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

void Sessions::EndTurn(Entry& entry) {
  const std::lock_guard lock(mutex_);
  entry.queue.pop_front();
  entry.info.last_used = system_clock::now();
  entry.idle_since = Steady::now();
  if (!entry.closed) entry.info.state = SessionState::kIdle;
  changed_.notify_all();
}

Result<result::RunResult> Sessions::RunNow(Entry& entry, engine::Run& run) {
  // An interrupt that came between two runs was for neither; mostly there is none to take back.
  std::uint64_t count = 0;
  const ssize_t taken = ::read(entry.interrupt.get(), &count, sizeof(count));
  if (taken < 0 && errno != EAGAIN) return SysError("read", "the interrupt", errno);
  run.requester.cancel[monitor::kByInterrupt] = entry.interrupt.get();
  run.requester.origin.session_id = entry.info.id;
  run.session = entry.live.get();
  run.revoked = entry.revoked;
  policy::Limits& limits = run.request.limits;
  limits.wall = std::min(limits.wall, LeftOf(entry.wish.wall_budget, entry.info.wall_used));
  limits.cpu_time = std::min(limits.cpu_time, LeftOf(entry.wish.cpu_budget, entry.info.cpu_used));
  return engine_.Go(run);
}

void Sessions::Account(Entry& entry, const result::RunResult& result) {
  const std::lock_guard lock(mutex_);
  ++entry.info.runs;
  entry.info.wall_used += milliseconds(static_cast<std::int64_t>(result.usage.wall_ms));
  entry.info.cpu_used += milliseconds(static_cast<std::int64_t>(result.usage.cpu_ms.value_or(0)));
}

// What has become of the session by this run, if it is the end.
std::optional<std::string> Sessions::WhyRunEnds(const Entry& entry,
                                                const Result<result::RunResult>& result) {
  if (!entry.live->alive()) {
    return result && !result->reason.empty() ? result->reason : "its program has ended";
  }
  if (LeftOf(entry.wish.wall_budget, entry.info.wall_used) == 0ms ||
      LeftOf(entry.wish.cpu_budget, entry.info.cpu_used) == 0ms) {
    return "its budget is used up";
  }
  return std::nullopt;
}

Result<result::RunResult> Sessions::Run(const std::string& caller, const std::string& handle,
                                        engine::Run& run) {
  const EntryPtr entry = BJ_TRY(Find(caller, handle));
  BJ_TRY(TakeTurn(*entry, run.requester));
  auto result = RunNow(*entry, run);
  if (result) Account(*entry, *result);
  NotifyObserver(*entry, *entry->live, entry->live->TakeLeft());
  const auto ends = WhyRunEnds(*entry, result);
  const auto restored =
      ends ? RestoreNewest(*entry, result) : RollBackByPolicy(*entry, run, result);
  EndTurn(*entry);
  if (ends && !restored) Close(entry, *ends);
  if (result) {
    const std::lock_guard lock(mutex_);
    result->session = {{"id", entry->info.id}, {"state", SessionStateName(entry->info.state)}};
    if (ends) result->session["reason"] = *ends;
    if (restored) result->session["restored"] = *restored;
  }
  return result;
}

Result<policy::Request> Sessions::Shape(const std::string& caller, const std::string& handle) {
  return BJ_TRY(Find(caller, handle))->wish.shape;
}

Result<> Sessions::Interrupt(const std::string& caller, const std::string& handle) {
  const EntryPtr entry = BJ_TRY(Find(caller, handle));
  const std::lock_guard lock(mutex_);
  if (entry->info.state != SessionState::kRunning) {
    return Error(Kind::kInvalid, fmt::format("nothing runs in session \"{}\"", handle));
  }
  const std::uint64_t one = 1;
  BJ_TRY(Check("write", "the interrupt",
               [&] { return ::write(entry->interrupt.get(), &one, sizeof(one)); }));
  return {};
}

Result<> Sessions::End(const std::string& caller, const std::string& handle, const Origin& by) {
  const auto mark = [&by](SessionInfo& info) {
    if (by.correlation_id.empty() && by.traceparent.empty()) return;
    info.correlation_id = by.correlation_id;
    info.traceparent = by.traceparent;
  };
  if (auto paused = paused_->Find(caller, handle)) {
    mark(paused->info);
    return EndPaused(*paused);
  }
  const EntryPtr entry = BJ_TRY(Find(caller, handle));
  {
    const std::lock_guard lock(mutex_);
    if (!entry->closed) {
      entry->info.ended_by_caller = true;
      mark(entry->info);
    }
  }
  Close(entry, "its caller ended it");
  return {};
}

Result<> Sessions::WithWorkspace(const std::string& caller, const std::string& handle,
                                 const std::function<Result<>(const Fd&)>& use) {
  const EntryPtr entry = BJ_TRY(Find(caller, handle));
  std::shared_ptr<LiveSession> live;
  {
    const std::lock_guard lock(mutex_);
    if (entry->pausing) {
      return Error(Kind::kInvalid, fmt::format("session \"{}\" is being paused", handle));
    }
    live = entry->live;
    entry->idle_since = Steady::now();
  }
  if (!live) return NoSuchSession(handle);
  auto used = use(live->workspace());
  NotifyObserver(*entry, *live);
  return used;
}

std::size_t Sessions::living() {
  const std::lock_guard lock(mutex_);
  return entries_.size();
}

// With the lock held. False if somebody else has done it.
bool Sessions::Detach(Entry& entry, const std::string& because) {
  if (std::exchange(entry.closed, true)) return false;
  entries_.erase(entry.info.id);
  entry.info.state = SessionState::kEnded;
  entry.info.ended_because = because;
  ended_.push_front(entry.info);
  if (ended_.size() > bounds_.remembered) ended_.pop_back();
  changed_.notify_all();
  return true;
}

void Sessions::Close(const EntryPtr& entry, const std::string& because) {
  {
    const std::lock_guard lock(mutex_);
    if (!Detach(*entry, because)) return;
  }
  TearDown(*entry);
}

void Sessions::TearDown(const Entry& entry) {
  std::shared_ptr<LiveSession> live;
  SessionInfo info;
  {
    const std::lock_guard lock(mutex_);
    live = entry.live;  // a rollback may be putting another in its place
    info = entry.info;
  }
  // A run that goes on is then told as one that was ended, and not as one that a signal met.
  const std::uint64_t one = 1;
  const ssize_t ignored = ::write(entry.interrupt.get(), &one, sizeof(one));
  static_cast<void>(ignored);
  live->Kill();
  if (witness_ != nullptr) witness_->Ended(info, live->workspace());
}

void Sessions::NotifyObserver(const Entry& entry, const LiveSession& live, const Seen& seen) {
  if (witness_ != nullptr) witness_->Used(entry.info.id, live.workspace(), seen ? &*seen : nullptr);
}

}  // namespace belljar::engine
