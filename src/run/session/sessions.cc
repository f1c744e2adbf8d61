#include "run/session/sessions.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>

#include "foundation/base/sys.h"

namespace belljar::run {
namespace {

using namespace std::chrono_literals;
using std::chrono::milliseconds;

milliseconds LeftOf(const std::optional<milliseconds>& budget, milliseconds used) {
  return budget ? std::max(0ms, *budget - used) : milliseconds::max();
}

}  // namespace

Sessions::Sessions(Engine& engine, snapshot::Store& trees, const SessionBounds& bounds,
                   SessionArchive* archive)
    : engine_(engine),
      paused_(engine.state_dir()),
      table_(engine.sessions(), bounds, paused_, archive),
      revocations_(table_, engine.tools()),
      checkpoints_({table_, revocations_, engine.sessions(), engine.cells(), engine.recorder(),
                    trees, engine.state_dir()},
                   bounds),
      pauses_({table_, checkpoints_, engine.sessions(), paused_, trees, archive}) {
  SavedContainer::RemoveLeftovers(engine.state_dir());
}

Result<SessionInfo> Sessions::Create(const std::string& caller, SessionWish wish) {
  BJ_TRY(table_.CheckRoom(1));
  BJ_TRY(table_.CheckName(caller, wish.name));
  auto live = BJ_TRY(engine_.sessions().Open(wish.shape));
  const EntryPtr entry = BJ_TRY(table_.NewEntry(caller, wish, std::move(live)));
  BJ_TRY(table_.Publish(std::span(&entry, 1)));
  return table_.InfoOf(*entry);
}

Result<request::Request> Sessions::Shape(const std::string& caller, const std::string& handle) {
  return BJ_TRY(table_.Find(caller, handle))->wish.shape;
}

Result<RunResult> Sessions::Go(SessionEntry& entry, Run& run) {
  // Discards an interrupt that arrived between two runs; usually there is none.
  std::uint64_t count = 0;
  const ssize_t taken = ::read(entry.interrupt.get(), &count, sizeof(count));
  if (taken < 0 && errno != EAGAIN) return SysError("read", "the interrupt", errno);
  run.requester.cancel[cell::limits::kByInterrupt] = entry.interrupt.get();
  run.requester.origin.session_id = entry.info.id;
  run.session = entry.live.get();
  run.revoked = entry.revoked;
  request::Limits& limits = run.request.limits;
  limits.wall = std::min(limits.wall, LeftOf(entry.wish.wall_budget, entry.info.wall_used));
  limits.cpu_time = std::min(limits.cpu_time, LeftOf(entry.wish.cpu_budget, entry.info.cpu_used));
  return engine_.Go(run);
}

void Sessions::Account(SessionEntry& entry, const RunResult& result) {
  const auto lock = table_.Lock();
  ++entry.info.runs;
  entry.info.wall_used += milliseconds(static_cast<std::int64_t>(result.usage.wall_ms));
  entry.info.cpu_used += milliseconds(static_cast<std::int64_t>(result.usage.cpu_ms.value_or(0)));
}

// Why this run ends the session; nullopt if it does not.
std::optional<std::string> Sessions::WhyRunEnds(const SessionEntry& entry,
                                                const Result<RunResult>& result) {
  if (!entry.live->alive()) {
    return result && !result->reason.empty() ? result->reason : "its program has ended";
  }
  if (LeftOf(entry.wish.wall_budget, entry.info.wall_used) == 0ms ||
      LeftOf(entry.wish.cpu_budget, entry.info.cpu_used) == 0ms) {
    return "its budget is used up";
  }
  return std::nullopt;
}

Result<RunResult> Sessions::Execute(const std::string& caller, const std::string& handle,
                                    Run& run) {
  const EntryPtr entry = BJ_TRY(table_.Find(caller, handle));
  std::optional<SessionTable::Turn> turn(
      BJ_TRY(SessionTable::Turn::Take(table_, entry, run.requester)));
  auto result = Go(*entry, run);
  if (result) Account(*entry, *result);
  table_.NoteUse(*entry, *entry->live, entry->live->TakeLeft());
  const auto ends = WhyRunEnds(*entry, result);
  const auto restored = ends ? checkpoints_.RestoreNewest(*entry, result)
                             : checkpoints_.RollBackByPolicy(*entry, run, result);
  turn.reset();
  if (ends && !restored) table_.Close(entry, *ends);
  if (result) {
    const SessionInfo info = table_.InfoOf(*entry);
    result->session = {{"id", info.id}, {"state", SessionStateName(info.state)}};
    if (ends) result->session["reason"] = *ends;
    if (restored) result->session["restored"] = *restored;
  }
  return result;
}

Result<> Sessions::Interrupt(const std::string& caller, const std::string& handle) {
  const EntryPtr entry = BJ_TRY(table_.Find(caller, handle));
  const auto lock = table_.Lock();
  if (entry->info.state != SessionState::kRunning) {
    return Error(Kind::kInvalid, fmt::format("nothing runs in session \"{}\"", handle));
  }
  const std::uint64_t one = 1;
  BJ_TRY(Check("write", "the interrupt",
               [&] { return ::write(entry->interrupt.get(), &one, sizeof(one)); }));
  return {};
}

Result<> Sessions::End(const std::string& caller, const std::string& handle, const Origin& by) {
  const bool was_paused = BJ_TRY(pauses_.End(caller, handle, by));
  if (was_paused) return {};
  const EntryPtr entry = BJ_TRY(table_.Find(caller, handle));
  {
    const auto lock = table_.Lock();
    if (!entry->closed) {
      entry->info.ended_by_caller = true;
      MarkEnd(by, entry->info);
    }
  }
  table_.Close(entry, "its caller ended it");
  return {};
}

Result<> Sessions::WithWorkspace(const std::string& caller, const std::string& handle,
                                 const std::function<Result<>(const Fd&)>& use) {
  const EntryPtr entry = BJ_TRY(table_.Find(caller, handle));
  std::shared_ptr<LiveSession> live;
  {
    const auto lock = table_.Lock();
    if (entry->pausing) {
      return Error(Kind::kInvalid, fmt::format("session \"{}\" is being paused", handle));
    }
    live = entry->live;
    entry->idle_since = std::chrono::steady_clock::now();
  }
  if (!live) return NoSuchSession(handle);
  auto used = use(live->workspace());
  table_.NoteUse(*entry, *live);
  return used;
}

}  // namespace belljar::run
