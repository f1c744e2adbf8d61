#include "run/session/pauses.h"

#include <fmt/format.h>

#include <span>
#include <utility>

namespace belljar::run {

// While this object lives, callers cannot write to the session's files.
class SessionPauses::Quiet {
 public:
  Quiet(SessionTable& table, SessionEntry& entry) : table_(table), entry_(entry) { Set(true); }
  Quiet(const Quiet&) = delete;
  Quiet& operator=(const Quiet&) = delete;
  ~Quiet() { Set(false); }

 private:
  void Set(bool quiet) {
    const auto lock = table_.Lock();
    entry_.pausing = quiet;
  }
  SessionTable& table_;
  SessionEntry& entry_;
};

// While this object lives, no other call can pause, resume or end the session.
class SessionPauses::Claim {
 public:
  static Result<Claim> Take(SessionPauses& pauses, const std::string& id) {
    const std::lock_guard lock(pauses.mutex_);
    if (pauses.claimed_.insert(id).second) return Claim(pauses, id);
    return Error(Kind::kInvalid, fmt::format("session \"{}\" is being paused or resumed", id));
  }
  Claim(Claim&& other) noexcept : pauses_(other.pauses_), id_(std::exchange(other.id_, "")) {}
  Claim& operator=(Claim&&) = delete;
  ~Claim() {
    if (id_.empty()) return;
    const std::lock_guard lock(pauses_.mutex_);
    pauses_.claimed_.erase(id_);
  }

 private:
  Claim(SessionPauses& pauses, std::string id) : pauses_(pauses), id_(std::move(id)) {}
  SessionPauses& pauses_;
  std::string id_;
};

void MarkEnd(const Origin& by, SessionInfo& info) {
  if (by.correlation_id.empty() && by.traceparent.empty()) return;
  info.correlation_id = by.correlation_id;
  info.traceparent = by.traceparent;
}

// Every failure of the archive becomes "unavailable" for the caller.
Result<> SessionPauses::Record(const SessionInfo& info, Turning what) {
  if (means_.archive == nullptr) return {};
  const auto told = means_.archive->Turns(info, what);
  if (told) return {};
  return Error(Kind::kUnavailable, told.error().message(), told.error().sys());
}

Result<SessionInfo> SessionPauses::Pause(const std::string& caller, const std::string& handle) {
  SessionTable& table = means_.table;
  const EntryPtr entry = BJ_TRY(table.Find(caller, handle));
  {
    const auto turn = BJ_TRY(SessionTable::Turn::Take(table, entry));
    if (entry->live->backend() != request::BackendKind::kGvisor) {
      const bool native = entry->live->backend() == request::BackendKind::kNative;
      return Error(Kind::kInvalid,
                   std::string("only a session of the backend gvisor can be paused") +
                       (native ? ": this one can be saved by a checkpoint, which lives as long as "
                                 "it does"
                               : ", and none of the backend docker can be saved"));
    }
    const Quiet quiet(table, *entry);
    // The entry and the paused record coexist for a while.
    const auto claim = BJ_TRY(Claim::Take(*this, entry->info.id));
    const SavedPtr saved = BJ_TRY(means_.checkpoints.Save(*entry));
    const PausedSession record = RecordOf(*entry, *saved);
    BJ_TRY(means_.paused.Keep(record, saved->memory, means_.trees, saved->tree).While("pause"));
    const auto recorded = Record(record.info, Turning::kPaused).While("pause");
    const bool aside = recorded && table.PutAside(*entry);
    if (!aside) means_.paused.Remove(record.info.id);
    BJ_TRY(recorded);
    if (!aside) return table.Find(caller, handle).error();  // the session has ended meanwhile
    table.TearDown(*entry);                                 // before another run gets its turn
  }
  SessionInfo info = table.InfoOf(*entry);
  info.state = SessionState::kPaused;
  info.ended_because.clear();
  return info;
}

PausedSession SessionPauses::RecordOf(const SessionEntry& entry, const SavedSession& saved) {
  PausedSession record;
  const auto lock = means_.table.Lock();
  record.info = entry.info;
  record.info.state = SessionState::kPaused;
  record.wish = entry.wish;
  record.wish.holds = nullptr;
  record.wish.shape.files.clear();  // they have been put into the workspace
  record.network_revoked = entry.network_revoked;
  record.runs = saved.memory.runs;
  record.uid = saved.memory.container->saved()->uid;
  record.tree = saved.memory.container->saved()->tree;
  record.bytes = saved.info.memory_bytes + saved.info.file_bytes;
  return record;
}

Result<bool> SessionPauses::End(const std::string& caller, const std::string& handle,
                                const Origin& by) {
  auto found = means_.paused.Find(caller, handle);
  if (!found) return false;
  SessionInfo& info = found->info;
  MarkEnd(by, info);
  const auto claim = BJ_TRY(Claim::Take(*this, info.id));
  if (!means_.paused.Find(caller, info.id)) {
    BJ_TRY(means_.table.Find(caller, info.id));
    return Error(Kind::kInvalid, fmt::format("session \"{}\" is not paused any more", info.id));
  }
  BJ_TRY(Record(info, Turning::kDropped).While("delete a paused session"));
  means_.paused.Remove(info.id);
  return true;
}

Result<SessionInfo> SessionPauses::Resume(const std::string& caller, const std::string& handle,
                                          const Admit& admit) {
  SessionTable& table = means_.table;
  const auto found = means_.paused.Find(caller, handle);
  if (!found) {
    BJ_TRY(table.Find(caller, handle));
    return Error(Kind::kInvalid, fmt::format("session \"{}\" is not paused", handle));
  }
  const auto claim = BJ_TRY(Claim::Take(*this, found->info.id));
  const auto record = means_.paused.Find(caller, found->info.id);
  if (!record) return table.Find(caller, handle).error();
  BJ_TRY(table.CheckRoom(1));
  BJ_TRY(means_.factory.JudgeWishes(record->wish.shape));  // the policy may have changed
  SessionWish wish = record->wish;
  wish.holds = BJ_TRY(admit(wish.shape));
  const EntryPtr entry = BJ_TRY(ResumePaused(*record, wish).While("resume"));
  BJ_TRY(Record(entry->info, Turning::kResumed).While("resume"));
  BJ_TRY(table.Publish(std::span(&entry, 1)));
  means_.paused.Remove(record->info.id);
  return table.InfoOf(*entry);
}

Result<EntryPtr> SessionPauses::ResumePaused(const PausedSession& record, const SessionWish& wish) {
  SavedSession saved;
  saved.memory = BJ_TRY(means_.paused.Memory(record));
  saved.tree = BJ_TRY(means_.paused.Files(record, means_.trees));
  saved.trees = &means_.trees;
  SessionEntry shown;
  shown.wish = record.wish;
  shown.network_revoked = record.network_revoked;
  auto files_seen = std::make_shared<snapshot::Memory>();
  auto live = BJ_TRY(
      means_.checkpoints.Restore(shown, saved, *files_seen, cell::guest::RestoreAs::kItself));
  const EntryPtr entry = BJ_TRY(means_.table.NewEntry(record.info.caller, wish, std::move(live)));
  entry->files_seen = std::move(files_seen);
  entry->network_revoked = record.network_revoked;
  entry->info = record.info;
  entry->info.state = SessionState::kIdle;
  entry->info.last_used = std::chrono::system_clock::now();
  return entry;
}

}  // namespace belljar::run
