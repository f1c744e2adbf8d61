// Paused: sessions that have been put aside, each with all that it takes to go on from it.
//
// A session lies in a directory of its own below STATE/paused: its container as its runtime has
// written it down, its files by their digests, and what it was asked for. It takes no memory, and
// it is still there for the daemon after this one. What was only half written is removed.
//
// Thread-safe. What is given out is the record as it was then.
#pragma once

#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "foundation/base/json.h"
#include "run/session/info.h"
#include "run/session/live_session.h"
#include "run/snapshot/store.h"

namespace belljar::run {

struct PausedSession {
  SessionInfo info;
  SessionWish wish;
  bool network_revoked = false;
  std::uint64_t runs = 0;  // that its interpreter has seen
  std::uint32_t uid = 0;   // as in cell::SavedContainer, and below
  std::string tree;
  std::uint64_t bytes = 0;  // on disk
};

json::object ToJson(const PausedSession& session);
Result<PausedSession> ReadPaused(std::string_view text);

// Of one caller.
struct PausedBounds {
  std::size_t sessions = 100;
  std::uint64_t bytes = std::uint64_t{8} << 30;
};

class Paused {
 public:
  explicit Paused(const std::string& state_dir, const PausedBounds& bounds = {});

  // What lies there and cannot be used, found at the start: a sentence for each that says what to
  // do.
  const std::vector<std::string>& troubles() const { return troubles_; }

  // Takes what `memory` has on disk, and a copy of the files. Durable when it returns.
  Result<> Keep(const PausedSession& session, const SavedMemory& memory, snapshot::Store& trees,
                const std::string& tree);
  // By id or by name.
  std::optional<PausedSession> Find(const std::string& caller, const std::string& handle) const;
  std::vector<SessionInfo> List(const std::string& caller) const;
  // To go on from; the record stays until it is removed.
  Result<SavedMemory> Memory(const PausedSession& session) const;
  Result<std::string> Files(const PausedSession& session, snapshot::Store& trees) const;
  void Remove(const std::string& id);

 private:
  std::string PlaceOf(const std::string& id) const { return place_ + "/" + id; }
  void Load();
  void LoadOne(const std::string& path);
  // With the lock.
  Result<> CheckRoom(const std::string& caller, std::uint64_t bytes) const;

  const std::string place_;
  const PausedBounds bounds_;
  std::vector<std::string> troubles_;
  std::mutex keeping_;  // one is written at a time
  mutable std::mutex mutex_;
  std::map<std::string, PausedSession> sessions_;  // by id
};

}  // namespace belljar::run
