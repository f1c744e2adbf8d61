// One entry of the session table (table.h), and a checkpoint of a session.
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

// Interpreter and files of a session, saved at one moment. The snapshot tree is dropped with the
// last reference.
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
using SavedPtr = std::shared_ptr<const SavedSession>;  // shared with restores in progress

// Guarded by the table's lock, except `live` and `files_seen`, which belong to the holder of the
// turn.
struct SessionEntry {
  SessionInfo info;
  SessionWish wish;
  std::shared_ptr<LiveSession> live;  // shared: a run or a file transfer may outlive the entry
  Fd interrupt;                       // an eventfd: interrupts the run
  std::list<std::uint64_t> queue;     // tickets: the front has the turn, the rest wait
  std::uint64_t next_ticket = 0;
  bool closed = false;
  bool pausing = false;          // its files are being saved
  bool network_revoked = false;  // also holds after a restore
  std::shared_ptr<RevokedCalls> revoked = std::make_shared<RevokedCalls>();  // shared with its runs
  std::chrono::steady_clock::time_point idle_since = std::chrono::steady_clock::now();
  std::vector<SavedPtr> checkpoints;  // oldest first
  std::uint64_t next_checkpoint = 1;
  std::shared_ptr<snapshot::Memory> files_seen = std::make_shared<snapshot::Memory>();
};
using EntryPtr = std::shared_ptr<SessionEntry>;

}  // namespace belljar::run
