// One row of the table of sessions (session_table.h), and a checkpoint of one.
#pragma once

#include <chrono>
#include <cstdint>
#include <list>
#include <memory>
#include <string>
#include <vector>

#include "foundation/base/fd.h"
#include "run/session/info.h"
#include "run/session/live_session.h"
#include "run/snapshot/store.h"
#include "run/tools.h"

namespace belljar::run {

// Interpreter and files of a session as they were at one moment. The tree is given up when the last
// holder lets go of it.
struct SavedSession {
  CheckpointInfo info;
  SavedMemory memory;
  snapshot::Store* trees = nullptr;
  std::string tree;

  SavedSession() = default;
  SavedSession(const SavedSession&) = delete;
  SavedSession& operator=(const SavedSession&) = delete;
  ~SavedSession() {
    if (!tree.empty()) static_cast<void>(trees->Drop(tree));
  }
};
using SavedPtr = std::shared_ptr<const SavedSession>;  // shared: with a restore that goes on

// Guarded by the table's lock, but for `live` and `files_seen`, which are used by the holder of the
// turn.
struct SessionEntry {
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
  std::vector<SavedPtr> checkpoints;  // oldest first
  std::uint64_t next_checkpoint = 1;
  std::shared_ptr<snapshot::Memory> files_seen = std::make_shared<snapshot::Memory>();
};
using EntryPtr = std::shared_ptr<SessionEntry>;

}  // namespace belljar::run
