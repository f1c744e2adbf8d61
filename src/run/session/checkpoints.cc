#include "run/session/checkpoints.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <set>
#include <thread>

#include "run/supervise.h"

namespace belljar::run {
namespace {

using cell::guest::RestoreAs;

snapshot::Owner OwnerOf(const Fd& workspace) {
  const std::uint32_t owner = WorkspaceOwner(workspace);
  return {owner, owner};
}

// Whether the program ended the session by exiting.
bool LeftByItself(const RunResult& result) {
  return result.outcome == Outcome::kOk || result.outcome == Outcome::kExit;
}

}  // namespace

// Memory held by checkpoints counts as the session's memory, whichever of its cells made them, and
// also after they were deleted if a later save builds on them.
std::uint64_t SessionCheckpoints::HeldBySaved(const SessionEntry& entry) {
  std::uint64_t held = 0;
  std::set<std::shared_ptr<const Fd>> files;
  for (auto& file : entry.live->Files()) files.insert(std::move(file));
  {
    const auto lock = means_.table.Lock();
    for (const SavedPtr& saved : entry.checkpoints) {
      files.insert(saved->memory.file);
      files.insert(saved->memory.base);
      if (saved->memory.container) held += saved->memory.bytes;
    }
  }
  for (const auto& file : files) held += file ? BytesOf(*file) : 0;
  return held;
}

Result<SavedPtr> SessionCheckpoints::Save(SessionEntry& entry) {
  const std::uint64_t limit = entry.wish.shape.limits.memory_bytes;
  const std::uint64_t held = HeldBySaved(entry);
  auto saved = std::make_shared<SavedSession>();
  snapshot::Store& trees = means_.trees;
  snapshot::Snapshot tree;
  const auto take_files = [&](const Fd& written) -> Result<> {
    if (!saved->tree.empty()) BJ_TRY(trees.Drop(std::exchange(saved->tree, "")));
    tree = BJ_TRY(trees.Take(written, *entry.files_seen));
    saved->trees = &trees;
    saved->tree = tree.id;
    return {};
  };
  const std::uint64_t room = limit > held ? limit - held : 0;
  auto memory = entry.live->Save(room, means_.state_dir, take_files);
  if (!memory) return means_.table.UnlessEnded(entry, std::move(memory).error());
  saved->memory = *std::move(memory);
  saved->info.created = std::chrono::system_clock::now();
  saved->info.runs = entry.info.runs;
  saved->info.memory_bytes = saved->memory.bytes;
  saved->info.file_bytes = tree.bytes;
  saved->info.files = tree.entries;
  return SavedPtr(saved);
}

Result<SessionFactory::LivePtr> SessionCheckpoints::Restore(SessionEntry& entry,
                                                            const SavedSession& saved,
                                                            snapshot::Memory& files_seen,
                                                            RestoreAs as) {
  request::Request shape = entry.wish.shape;
  if (means_.revocations.HasLostNetwork(entry)) shape.allow_hosts.clear();
  return means_.factory.Resume(shape, saved.memory, as, [&](const Fd& workspace) -> Result<> {
    return means_.trees.Restore(saved.tree, workspace, files_seen, OwnerOf(workspace));
  });
}

// The old interpreter is killed only after the new one is running.
Result<> SessionCheckpoints::Replace(SessionEntry& entry, const SavedSession& saved) {
  auto files_seen = std::make_shared<snapshot::Memory>();
  auto restored = BJ_TRY(Restore(entry, saved, *files_seen, RestoreAs::kItself));
  auto fresh = means_.table.Owned(std::move(restored));
  std::shared_ptr<LiveSession> old;
  {
    const auto lock = means_.table.Lock();
    if (entry.closed) {
      return Error(Kind::kNotFound, fmt::format("session \"{}\" has ended", entry.info.id));
    }
    old = std::exchange(entry.live, std::move(fresh));
    entry.files_seen = std::move(files_seen);
  }
  old->Kill();
  return means_.revocations.KeepLost(entry);
}

Result<CheckpointInfo> SessionCheckpoints::Make(const std::string& caller,
                                                const std::string& handle) {
  const EntryPtr entry = BJ_TRY(means_.table.Find(caller, handle));
  const auto turn = BJ_TRY(SessionTable::Turn::Take(means_.table, entry));
  {
    const auto lock = means_.table.Lock();
    if (entry->checkpoints.size() >= bounds_.checkpoints) {
      return Error(Kind::kExhausted, fmt::format("session \"{}\" has {} checkpoints already: "
                                                 "delete one first",
                                                 handle, bounds_.checkpoints));
    }
  }
  const auto saved = std::const_pointer_cast<SavedSession>(BJ_TRY(Save(*entry)));
  const auto lock = means_.table.Lock();
  if (entry->closed) return EndedMeanwhile(entry->info);
  saved->info.id = fmt::format("c-{}", entry->next_checkpoint++);
  entry->checkpoints.push_back(saved);
  return saved->info;
}

Result<std::vector<CheckpointInfo>> SessionCheckpoints::List(const std::string& caller,
                                                             const std::string& handle) {
  const EntryPtr entry = BJ_TRY(means_.table.Find(caller, handle));
  const auto lock = means_.table.Lock();
  std::vector<CheckpointInfo> infos;
  for (const SavedPtr& saved : entry->checkpoints) infos.push_back(saved->info);
  return infos;
}

Result<SavedPtr> SessionCheckpoints::Find(SessionEntry& entry, const std::string& id) {
  const auto lock = means_.table.Lock();
  for (const SavedPtr& saved : entry.checkpoints) {
    if (saved->info.id == id) return saved;
  }
  return Error(Kind::kNotFound,
               fmt::format("session \"{}\" has no checkpoint \"{}\"", entry.info.id, id));
}

SavedPtr SessionCheckpoints::Newest(SessionEntry& entry) {
  const auto lock = means_.table.Lock();
  return entry.closed || entry.checkpoints.empty() ? nullptr : entry.checkpoints.back();
}

Result<> SessionCheckpoints::Drop(const std::string& caller, const std::string& handle,
                                  const std::string& checkpoint) {
  const EntryPtr entry = BJ_TRY(means_.table.Find(caller, handle));
  const SavedPtr saved = BJ_TRY(Find(*entry, checkpoint));
  const auto lock = means_.table.Lock();
  std::erase(entry->checkpoints, saved);
  return {};
}

Result<SessionInfo> SessionCheckpoints::Rollback(const std::string& caller,
                                                 const std::string& handle,
                                                 const std::string& checkpoint) {
  const EntryPtr entry = BJ_TRY(means_.table.Find(caller, handle));
  {
    const auto turn = BJ_TRY(SessionTable::Turn::Take(means_.table, entry));
    const SavedPtr saved = BJ_TRY(Find(*entry, checkpoint));
    const auto replaced = Replace(*entry, *saved).While("rollback");
    if (!replaced) return means_.table.UnlessEnded(*entry, replaced.error());
    means_.table.NoteUse(*entry, *entry->live);
  }
  return means_.table.InfoOf(*entry);
}

std::optional<std::string> SessionCheckpoints::RestoreNewest(SessionEntry& entry,
                                                             const Result<RunResult>& result) {
  if (entry.live->alive() || (result && LeftByItself(*result))) return std::nullopt;
  const SavedPtr newest = Newest(entry);
  if (!newest || !Replace(entry, *newest)) return std::nullopt;
  return newest->info.id;
}

std::optional<std::string> SessionCheckpoints::RollBackByPolicy(SessionEntry& entry, const Run& run,
                                                                Result<RunResult>& result) {
  if (!result || !run.recovery.rollback) return std::nullopt;
  const SavedPtr newest = Newest(entry);
  json::object done = {{"action", "rollback"}, {"outcome", "no checkpoint"}};
  std::optional<std::string> restored;
  if (newest) {
    const auto replaced = Replace(entry, *newest);
    done["outcome"] = replaced ? "restored" : "failed";
    done["checkpoint"] = newest->info.id;
    if (replaced) restored = newest->info.id;
    if (replaced) means_.table.NoteUse(entry, *entry.live);
    if (!replaced) done["reason"] = replaced.error().message();
  }
  const auto noted = means_.recorder.NoteRecovery(run.requester.origin, done);
  if (noted) {
    result->recovery.push_back(std::move(done));
  } else {
    result = noted.error();
  }
  return restored;
}

Result<EntryPtr> SessionCheckpoints::Branch(SessionEntry& entry, const SavedSession& saved,
                                            std::shared_ptr<void> holds) {
  auto files_seen = std::make_shared<snapshot::Memory>();
  auto live = BJ_TRY(Restore(entry, saved, *files_seen, RestoreAs::kBranch));
  SessionWish wish = entry.wish;
  wish.name.clear();
  wish.holds = std::move(holds);
  const EntryPtr branch = BJ_TRY(means_.table.NewEntry(entry.info.caller, wish, std::move(live)));
  branch->files_seen = std::move(files_seen);
  BJ_TRY(means_.revocations.CopyRevocations(entry, *branch));
  return branch;
}

// More threads than CPUs, because each waits for its guest part of the time.
Result<std::vector<EntryPtr>> SessionCheckpoints::Branches(SessionEntry& entry,
                                                           const SavedSession& saved,
                                                           const Holds& holds) {
  const auto quiet = means_.cells.QuietPool();
  std::vector<EntryPtr> made(holds.size());
  std::atomic<std::size_t> next{0};
  std::optional<Error> failure;
  std::mutex failing;
  const auto work = [&] {
    for (std::size_t i = next++; i < holds.size(); i = next++) {
      auto branch = Branch(entry, saved, holds[i]);
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

Result<std::vector<SessionInfo>> SessionCheckpoints::Fork(const std::string& caller,
                                                          const std::string& handle,
                                                          const Holds& holds) {
  if (holds.empty() || holds.size() > bounds_.branches) {
    return Error(Kind::kInvalid, fmt::format("count must be 1 to {}", bounds_.branches));
  }
  const EntryPtr entry = BJ_TRY(means_.table.Find(caller, handle));
  BJ_TRY(means_.table.CheckRoom(holds.size()));
  const auto turn = BJ_TRY(SessionTable::Turn::Take(means_.table, entry));
  if (entry->info.lang == request::Lang::kJavaScript) {
    return Error(Kind::kInvalid,
                 "a JavaScript session cannot be forked: its random numbers, those "
                 "for keys too, would be the same in each branch");
  }
  const SavedPtr saved = BJ_TRY(Save(*entry));
  const auto branches = Branches(*entry, *saved, holds).While("fork");
  if (!branches) return means_.table.UnlessEnded(*entry, branches.error());
  BJ_TRY(means_.table.Publish(*branches));
  std::vector<SessionInfo> infos;
  for (const EntryPtr& branch : *branches) infos.push_back(means_.table.InfoOf(*branch));
  return infos;
}

}  // namespace belljar::run
