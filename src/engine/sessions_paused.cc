// Pause and resume of the sessions in sessions.h.
#include <fmt/format.h>

#include "engine/paused.h"
#include "engine/session_entry.h"

namespace belljar::engine {

// While this lives nobody writes to the session's files.
class Sessions::Quiet {
 public:
  Quiet(Sessions& sessions, Entry& entry) : sessions_(sessions), entry_(entry) { Set(true); }
  Quiet(const Quiet&) = delete;
  Quiet& operator=(const Quiet&) = delete;
  ~Quiet() { Set(false); }

 private:
  void Set(bool quiet) {
    const std::lock_guard lock(sessions_.mutex_);
    entry_.pausing = quiet;
  }
  Sessions& sessions_;
  Entry& entry_;
};

// Nobody else resumes or deletes it meanwhile.
class Sessions::Claim {
 public:
  static Result<Claim> Take(Sessions& sessions, const std::string& id) {
    const std::lock_guard lock(sessions.mutex_);
    if (sessions.resuming_.insert(id).second) return Claim(sessions, id);
    return Error(Kind::kInvalid, fmt::format("session \"{}\" is being paused or resumed", id));
  }
  Claim(Claim&& other) noexcept : sessions_(other.sessions_), id_(std::exchange(other.id_, "")) {}
  Claim& operator=(Claim&&) = delete;
  ~Claim() {
    if (id_.empty()) return;
    const std::lock_guard lock(sessions_.mutex_);
    sessions_.resuming_.erase(id_);
  }

 private:
  Claim(Sessions& sessions, std::string id) : sessions_(sessions), id_(std::move(id)) {}
  Sessions& sessions_;
  std::string id_;
};

// Whatever keeps the witness from it, to the caller it is: not now.
Result<> Sessions::Witness(const SessionInfo& info, Turning what) {
  if (witness_ == nullptr) return {};
  const auto told = witness_->Turns(info, what);
  if (told) return {};
  return Error(Kind::kUnavailable, told.error().message(), told.error().sys());
}

// An error has changed nothing: the session goes on until its record is on disk.
Result<SessionInfo> Sessions::Pause(const std::string& caller, const std::string& handle) {
  const EntryPtr entry = BJ_TRY(Find(caller, handle));
  {
    const Turn turn = BJ_TRY(Turn::Take(*this, entry));
    if (entry->live->backend() != policy::BackendKind::kGvisor) {
      const bool native = entry->live->backend() == policy::BackendKind::kNative;
      return Error(Kind::kInvalid,
                   std::string("only a session of the backend gvisor can be paused") +
                       (native ? ": this one can be saved by a checkpoint, which lives as long as "
                                 "it does"
                               : ", and none of the backend docker can be saved"));
    }
    const Quiet quiet(*this, *entry);
    const Claim claim = BJ_TRY(Claim::Take(*this, entry->info.id));  // both are there for a while
    const KeptPtr kept = BJ_TRY(Save(*entry));
    const PausedSession record = RecordOf(*entry, *kept);
    BJ_TRY(paused_->Keep(record, kept->memory, trees_, kept->tree).While("pause"));
    const auto witnessed = Witness(record.info, Turning::kPaused).While("pause");
    const bool deleted = witnessed && PutAside(*entry);
    if (!witnessed || deleted) paused_->Remove(record.info.id);
    BJ_TRY(witnessed);
    if (deleted) return Find(caller, handle).error();
    TearDown(*entry);  // before anybody else has a turn
  }
  const std::lock_guard lock(mutex_);
  SessionInfo info = entry->info;
  info.state = SessionState::kPaused;
  info.ended_because.clear();
  return info;
}

// True: somebody has ended it meanwhile.
bool Sessions::PutAside(Entry& entry) {
  const std::lock_guard lock(mutex_);
  if (entry.closed) return true;
  entry.info.ended_by_caller = true;  // nothing else is to be kept of it
  Detach(entry, "it was paused");
  std::erase_if(ended_, [&](const SessionInfo& info) { return info.id == entry.info.id; });
  return false;
}

PausedSession Sessions::RecordOf(const Entry& entry, const Kept& kept) {
  PausedSession record;
  const std::lock_guard lock(mutex_);
  record.info = entry.info;
  record.info.state = SessionState::kPaused;
  record.wish = entry.wish;
  record.wish.holds = nullptr;
  record.wish.shape.files.clear();  // they are in the workspace
  record.network_revoked = entry.network_revoked;
  record.runs = kept.memory.runs;
  record.uid = kept.memory.container->saved()->uid;
  record.tree = kept.memory.container->saved()->tree;
  record.bytes = kept.info.memory_bytes + kept.info.file_bytes;
  return record;
}

Result<> Sessions::EndPaused(const PausedSession& session) {
  const Claim claim = BJ_TRY(Claim::Take(*this, session.info.id));
  if (!paused_->Find(session.info.caller, session.info.id)) {
    BJ_TRY(Find(session.info.caller, session.info.id));
    return Error(Kind::kInvalid,
                 fmt::format("session \"{}\" is not paused any more", session.info.id));
  }
  BJ_TRY(Witness(session.info, Turning::kDropped).While("delete a paused session"));
  paused_->Remove(session.info.id);
  return {};
}

// An error has changed nothing: the record goes when the session lives.
Result<SessionInfo> Sessions::Resume(const std::string& caller, const std::string& handle,
                                     const Admit& admit) {
  const auto found = paused_->Find(caller, handle);
  if (!found) {
    BJ_TRY(Find(caller, handle));
    return Error(Kind::kInvalid, fmt::format("session \"{}\" is not paused", handle));
  }
  const Claim claim = BJ_TRY(Claim::Take(*this, found->info.id));
  const auto record = paused_->Find(caller, found->info.id);
  if (!record) return Find(caller, handle).error();
  BJ_TRY(CheckRoom(1));
  BJ_TRY(engine_.sessions().JudgeWishes(record->wish.shape));  // the policy may be another by now
  SessionWish wish = record->wish;
  wish.holds = BJ_TRY(admit(wish.shape));
  const EntryPtr entry = BJ_TRY(ResumePaused(*record, wish).While("resume"));
  BJ_TRY(Witness(entry->info, Turning::kResumed).While("resume"));
  BJ_TRY(Publish(std::span(&entry, 1)));
  paused_->Remove(record->info.id);
  const std::lock_guard lock(mutex_);
  return entry->info;
}

const std::vector<std::string>& Sessions::Troubles() const { return paused_->troubles(); }

Result<Sessions::EntryPtr> Sessions::ResumePaused(const PausedSession& record,
                                                  const SessionWish& wish) {
  Kept kept;
  kept.memory = BJ_TRY(paused_->Memory(record));
  kept.tree = BJ_TRY(paused_->Files(record, trees_));
  kept.trees = &trees_;
  Entry shown;
  shown.wish = record.wish;
  shown.network_revoked = record.network_revoked;
  auto files_seen = std::make_shared<snapshot::Memory>();
  auto live = BJ_TRY(Resume(shown, kept, *files_seen, guest::RestoreAs::kItself));
  const EntryPtr entry = BJ_TRY(NewEntry(record.info.caller, wish, std::move(live)));
  entry->files_seen = std::move(files_seen);
  entry->network_revoked = record.network_revoked;
  entry->info = record.info;
  entry->info.state = SessionState::kIdle;
  entry->info.last_used = std::chrono::system_clock::now();
  return entry;
}

}  // namespace belljar::engine
