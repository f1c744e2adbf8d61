// Checkpoints, rollback and fork of the sessions in sessions.h.
#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <set>

#include "engine/session_entry.h"
#include "engine/supervise.h"

namespace belljar::engine {
namespace {

using guest::RestoreAs;

snapshot::Owner OwnerOf(const Fd& workspace) {
  const std::uint32_t owner = WorkspaceOwner(workspace);
  return {owner, owner};
}

// Outcomes after which the program itself wanted no more of the session.
bool LeftByItself(const result::RunResult& result) {
  return result.outcome == result::Outcome::kOk || result.outcome == result::Outcome::kExit;
}

Error EndedMeanwhile(const SessionInfo& info) {
  return Error(Kind::kNotFound,
               fmt::format("session \"{}\" has ended meanwhile: {}", info.id, info.ended_because));
}

}  // namespace

// Whoever takes a session apart makes everything fail that is done to it at the time.
Error Sessions::UnlessEnded(const Entry& entry, Error error) {
  const std::lock_guard lock(mutex_);
  return entry.closed ? EndedMeanwhile(entry.info) : std::move(error);
}

// With the turn. What the session's checkpoints hold counts as its memory too, whichever of its
// cells has made them, and also when they have been deleted and something still builds on them.
std::uint64_t Sessions::HeldBySaved(const Entry& entry) {
  std::uint64_t held = 0;
  std::set<std::shared_ptr<const Fd>> files;
  for (auto& file : entry.live->Files()) files.insert(std::move(file));
  {
    const std::lock_guard lock(mutex_);
    for (const KeptPtr& kept : entry.checkpoints) {
      files.insert(kept->memory.file);
      files.insert(kept->memory.base);
      if (kept->memory.container) held += kept->memory.bytes;
    }
  }
  for (const auto& file : files) held += file ? BytesOf(*file) : 0;
  return held;
}

Result<Sessions::KeptPtr> Sessions::Save(Entry& entry) {
  const std::uint64_t limit = entry.wish.shape.limits.memory_bytes;
  const std::uint64_t held = HeldBySaved(entry);
  auto kept = std::make_shared<Kept>();
  snapshot::Snapshot tree;
  const auto take_files = [&](const Fd& written) -> Result<> {
    if (!kept->tree.empty()) BJ_TRY(trees_.Drop(std::exchange(kept->tree, "")));
    tree = BJ_TRY(trees_.Take(written, *entry.files_seen));
    kept->trees = &trees_;
    kept->tree = tree.id;
    return {};
  };
  const std::uint64_t room = limit > held ? limit - held : 0;
  auto memory = entry.live->Save(room, engine_.state_dir(), take_files);
  if (!memory) return UnlessEnded(entry, std::move(memory).error());
  kept->memory = *std::move(memory);
  kept->info.created = std::chrono::system_clock::now();
  kept->info.runs = entry.info.runs;
  kept->info.memory_bytes = kept->memory.bytes;
  kept->info.file_bytes = tree.bytes;
  kept->info.files = tree.entries;
  return KeptPtr(kept);
}

Result<std::unique_ptr<LiveSession>> Sessions::Resume(Entry& entry, const Kept& kept,
                                                      snapshot::Memory& files_seen, RestoreAs as) {
  policy::Request shape = entry.wish.shape;
  if (HasLostNetwork(entry)) shape.allow_hosts.clear();
  return engine_.sessions().Resume(shape, kept.memory, as, [&](const Fd& workspace) -> Result<> {
    return trees_.Restore(kept.tree, workspace, files_seen, OwnerOf(workspace));
  });
}

// With the turn. The old interpreter goes when the new one is there.
Result<> Sessions::Replace(Entry& entry, const Kept& kept) {
  auto files_seen = std::make_shared<snapshot::Memory>();
  auto fresh = Owned(BJ_TRY(Resume(entry, kept, *files_seen, RestoreAs::kItself)));
  std::shared_ptr<LiveSession> old;
  {
    const std::lock_guard lock(mutex_);
    if (entry.closed) {
      return Error(Kind::kNotFound, fmt::format("session \"{}\" has ended", entry.info.id));
    }
    old = std::exchange(entry.live, std::move(fresh));
    entry.files_seen = std::move(files_seen);
  }
  old->Kill();
  return KeepLost(entry);
}

Result<CheckpointInfo> Sessions::Checkpoint(const std::string& caller, const std::string& handle) {
  const EntryPtr entry = BJ_TRY(Find(caller, handle));
  const Turn turn = BJ_TRY(Turn::Take(*this, entry));
  {
    const std::lock_guard lock(mutex_);
    if (entry->checkpoints.size() >= bounds_.checkpoints) {
      return Error(Kind::kExhausted, fmt::format("session \"{}\" has {} checkpoints already: "
                                                 "delete one first",
                                                 handle, bounds_.checkpoints));
    }
  }
  const auto kept = std::const_pointer_cast<Kept>(BJ_TRY(Save(*entry)));
  const std::lock_guard lock(mutex_);
  if (entry->closed) return EndedMeanwhile(entry->info);
  kept->info.id = fmt::format("c-{}", entry->next_checkpoint++);
  entry->checkpoints.push_back(kept);
  return kept->info;
}

Result<std::vector<CheckpointInfo>> Sessions::Checkpoints(const std::string& caller,
                                                          const std::string& handle) {
  const EntryPtr entry = BJ_TRY(Find(caller, handle));
  const std::lock_guard lock(mutex_);
  std::vector<CheckpointInfo> infos;
  for (const KeptPtr& kept : entry->checkpoints) infos.push_back(kept->info);
  return infos;
}

Result<Sessions::KeptPtr> Sessions::FindCheckpoint(Entry& entry, const std::string& id) {
  const std::lock_guard lock(mutex_);
  for (const KeptPtr& kept : entry.checkpoints) {
    if (kept->info.id == id) return kept;
  }
  return Error(Kind::kNotFound,
               fmt::format("session \"{}\" has no checkpoint \"{}\"", entry.info.id, id));
}

Result<> Sessions::DropCheckpoint(const std::string& caller, const std::string& handle,
                                  const std::string& checkpoint) {
  const EntryPtr entry = BJ_TRY(Find(caller, handle));
  const KeptPtr kept = BJ_TRY(FindCheckpoint(*entry, checkpoint));
  const std::lock_guard lock(mutex_);
  std::erase(entry->checkpoints, kept);
  return {};
}

Result<SessionInfo> Sessions::Rollback(const std::string& caller, const std::string& handle,
                                       const std::string& checkpoint) {
  const EntryPtr entry = BJ_TRY(Find(caller, handle));
  {
    const Turn turn = BJ_TRY(Turn::Take(*this, entry));
    const KeptPtr kept = BJ_TRY(FindCheckpoint(*entry, checkpoint));
    const auto replaced = Replace(*entry, *kept).While("rollback");
    if (!replaced) return UnlessEnded(*entry, replaced.error());
    NotifyObserver(*entry, *entry->live);
  }
  const std::lock_guard lock(mutex_);
  return entry->info;
}

// The id of the checkpoint that the session goes on from, after a run that was its end.
std::optional<std::string> Sessions::RestoreNewest(Entry& entry,
                                                   const Result<result::RunResult>& result) {
  if (entry.live->alive() || (result && LeftByItself(*result))) return std::nullopt;
  KeptPtr newest;
  {
    const std::lock_guard lock(mutex_);
    if (entry.closed || entry.checkpoints.empty()) return std::nullopt;
    newest = entry.checkpoints.back();
  }
  if (!Replace(entry, *newest)) return std::nullopt;
  return newest->info.id;
}

// The id of the checkpoint that a living session has gone back to, because the policy wants that
// of a run that did not end well.
std::optional<std::string> Sessions::RollBackByPolicy(Entry& entry, const engine::Run& run,
                                                      Result<result::RunResult>& result) {
  if (!result || !run.recovery.rollback) return std::nullopt;
  KeptPtr newest;
  {
    const std::lock_guard lock(mutex_);
    if (!entry.closed && !entry.checkpoints.empty()) newest = entry.checkpoints.back();
  }
  json::object done = {{"action", "rollback"}, {"outcome", "no checkpoint"}};
  std::optional<std::string> restored;
  if (newest) {
    const auto replaced = Replace(entry, *newest);
    done["outcome"] = replaced ? "restored" : "failed";
    done["checkpoint"] = newest->info.id;
    if (replaced) restored = newest->info.id;
    if (replaced) NotifyObserver(entry, *entry.live);
    if (!replaced) done["reason"] = replaced.error().message();
  }
  const auto noted = engine_.recorder().NoteRecovery(run.requester.origin, done);
  if (noted) {
    result->recovery.push_back(std::move(done));
  } else {
    result = noted.error();
  }
  return restored;
}

Result<Sessions::EntryPtr> Sessions::Branch(Entry& entry, const Kept& kept,
                                            std::shared_ptr<void> holds) {
  auto files_seen = std::make_shared<snapshot::Memory>();
  auto live = BJ_TRY(Resume(entry, kept, *files_seen, RestoreAs::kBranch));
  SessionWish wish = entry.wish;
  wish.name.clear();
  wish.holds = std::move(holds);
  const EntryPtr branch = BJ_TRY(NewEntry(entry.info.caller, wish, std::move(live)));
  branch->files_seen = std::move(files_seen);
  BJ_TRY(CopyRevocations(entry, *branch));
  return branch;
}

// More at once than there are CPUs: each waits for its guest now and then.
Result<std::vector<Sessions::EntryPtr>> Sessions::Branches(
    Entry& entry, const Kept& kept, const std::vector<std::shared_ptr<void>>& holds) {
  const auto quiet = engine_.cells().QuietPool();
  std::vector<EntryPtr> made(holds.size());
  std::atomic<std::size_t> next{0};
  std::optional<Error> failure;
  std::mutex failing;
  const auto work = [&] {
    for (std::size_t i = next++; i < holds.size(); i = next++) {
      auto branch = Branch(entry, kept, holds[i]);
      if (branch) {
        made[i] = *branch;
        continue;
      }
      const std::lock_guard lock(failing);
      failure = branch.error();
      next = holds.size();
    }
  };
  {
    std::vector<std::jthread> others;
    const std::size_t most = 2 * std::max<std::size_t>(1, std::thread::hardware_concurrency());
    while (others.size() + 1 < std::min(most, holds.size())) others.emplace_back(work);
    work();
  }
  if (failure) return *failure;
  return made;
}

Result<std::vector<SessionInfo>> Sessions::Fork(const std::string& caller,
                                                const std::string& handle,
                                                const std::vector<std::shared_ptr<void>>& holds) {
  if (holds.empty() || holds.size() > bounds_.branches) {
    return Error(Kind::kInvalid, fmt::format("count must be 1 to {}", bounds_.branches));
  }
  const EntryPtr entry = BJ_TRY(Find(caller, handle));
  BJ_TRY(CheckRoom(holds.size()));
  const Turn turn = BJ_TRY(Turn::Take(*this, entry));
  if (entry->info.lang == policy::Lang::kJavaScript) {
    return Error(Kind::kInvalid,
                 "a JavaScript session cannot be forked: its random numbers, those "
                 "for keys too, would be the same in each branch");
  }
  const KeptPtr kept = BJ_TRY(Save(*entry));
  const auto branches = Branches(*entry, *kept, holds).While("fork");
  if (!branches) return UnlessEnded(*entry, branches.error());
  const std::vector<EntryPtr>& made = *branches;
  BJ_TRY(Publish(made));
  std::vector<SessionInfo> infos;
  const std::lock_guard lock(mutex_);
  for (const EntryPtr& branch : made) infos.push_back(branch->info);
  return infos;
}

}  // namespace belljar::engine
