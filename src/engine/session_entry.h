// One row of the table in sessions.h: for its own sources only.
#pragma once

#include "engine/sessions.h"

namespace belljar::engine {

// A checkpoint. Its tree is given up when the last holder lets go of it.
struct Sessions::Kept {
  CheckpointInfo info;
  SavedMemory memory;
  snapshot::Store* trees = nullptr;
  std::string tree;

  Kept() = default;
  Kept(const Kept&) = delete;
  Kept& operator=(const Kept&) = delete;
  ~Kept() {
    if (!tree.empty()) static_cast<void>(trees->Drop(tree));
  }
};

// Guarded by the table's mutex, but for `live`, `saved` and `files_seen`, which are used by whoever
// has the turn.
struct Sessions::Entry {
  SessionInfo info;
  SessionWish wish;
  std::shared_ptr<LiveSession> live;  // shared: a run or a transfer of files outlives the entry
  Fd interrupt;                       // an eventfd: the run is to be interrupted
  std::list<std::uint64_t> queue;     // whose turn it is, and who waits
  std::uint64_t next_ticket = 0;
  bool closed = false;
  bool pausing = false;          // its files are being put aside
  bool network_revoked = false;  // for what it is restored to, too
  std::shared_ptr<RevokedCalls> revoked = std::make_shared<RevokedCalls>();  // with its runs
  std::chrono::steady_clock::time_point idle_since = std::chrono::steady_clock::now();
  std::vector<KeptPtr> checkpoints;  // oldest first
  std::uint64_t next_checkpoint = 1;
  std::shared_ptr<snapshot::Memory> files_seen = std::make_shared<snapshot::Memory>();
};

// Waits for its turn at a session and gives it back.
class Sessions::Turn {
 public:
  static Result<Turn> Take(Sessions& sessions, const EntryPtr& entry) {
    BJ_TRY(sessions.TakeTurn(*entry, Requester()));
    return Turn(sessions, entry);
  }
  Turn(Turn&& other) noexcept
      : sessions_(other.sessions_), entry_(std::exchange(other.entry_, nullptr)) {}
  Turn(const Turn&) = delete;
  Turn& operator=(const Turn&) = delete;
  Turn& operator=(Turn&&) = delete;
  ~Turn() {
    if (entry_) sessions_.EndTurn(*entry_);
  }

 private:
  Turn(Sessions& sessions, EntryPtr entry) : sessions_(sessions), entry_(std::move(entry)) {}

  Sessions& sessions_;
  EntryPtr entry_;
};

}  // namespace belljar::engine
