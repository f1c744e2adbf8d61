// Paused: sessions suspended to disk, each with everything needed to resume it.
//
// Each session has a directory below STATE/paused: the container's checkpoint as written by its
// runtime, its files by their digests, and the wishes it was created with. A paused session takes
// no memory and survives the daemon. Incomplete directories are removed.
//
// Thread-safe. Functions return copies of the records.
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
  std::uint64_t runs = 0;  // runs in its interpreter
  std::uint32_t uid = 0;   // the next three: as in cell::SavedContainer
  std::string tree;
  std::uint64_t bytes = 0;  // on disk
};

json::object ToJson(const PausedSession& session);
Result<PausedSession> ReadPaused(std::string_view text);

// Quota of one caller.
struct PausedBounds {
  std::size_t sessions = 100;
  std::uint64_t bytes = std::uint64_t{8} << 30;
};

class Paused {
 public:
  explicit Paused(const std::string& state_dir, const PausedBounds& bounds = {});

  // Unusable directories found at the start: for each a sentence that says what to do.
  const std::vector<std::string>& troubles() const { return troubles_; }

  // Stores a session: moves the container's files of `memory`, and copies the workspace's. Durable
  // when it returns.
  Result<> Keep(const PausedSession& session, const SavedMemory& memory, snapshot::Store& trees,
                const std::string& tree);
  // By id or by name.
  std::optional<PausedSession> Find(const std::string& caller, const std::string& handle) const;
  std::vector<SessionInfo> List(const std::string& caller) const;
  // The saved memory to resume from; the record stays until Remove().
  Result<SavedMemory> Memory(const PausedSession& session) const;
  Result<std::string> Files(const PausedSession& session, snapshot::Store& trees) const;
  void Remove(const std::string& id);

 private:
  std::string PlaceOf(const std::string& id) const { return place_ + "/" + id; }
  void Load();
  void LoadOne(const std::string& path);
  // Call with the lock held.
  Result<> CheckRoom(const std::string& caller, std::uint64_t bytes) const;

  const std::string place_;
  const PausedBounds bounds_;
  std::vector<std::string> troubles_;
  std::mutex keeping_;  // serialises writing
  mutable std::mutex mutex_;
  std::map<std::string, PausedSession> sessions_;  // by id
};

}  // namespace belljar::run
