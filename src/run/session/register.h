// Register: the database table of a state directory's sessions, so that every lost session is
// accounted for.
//
// A session is inserted before its caller gets it, and marked when it ends. A row without an end
// that belongs to a daemon that is gone therefore means that the session ended with that daemon.
// Ended sessions are kept for a configured time and then deleted; sessions that their caller ended
// are deleted at once.
//
// Thread-safe. The database must outlive the register.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "foundation/base/result.h"
#include "foundation/storage/database.h"

namespace belljar::run {

// One row. Times are milliseconds since 1970.
struct SessionRow {
  std::string id, caller, name, lang, image, backend;
  std::int64_t created_ms = 0;
  std::optional<std::int64_t> ended_ms;  // unset: alive, or alive when its daemon was killed
  std::string reason;                    // why it ended
  std::int64_t last_used_ms = 0;
  std::int64_t runs = 0;
  std::optional<std::int64_t> wall_ms, cpu_ms;  // unset: unknown, since its daemon was killed
  std::int64_t kept_bytes = 0;                  // of the kept workspace
  std::int64_t kept_files = 0;
  std::string trouble;  // why not all of the workspace was kept; empty when it was
  bool operator==(const SessionRow&) const = default;
};

class Register {
 public:
  static constexpr std::size_t kMostListed = 1'000;

  // Opens the register, and migrates its schema if needed.
  static Result<std::unique_ptr<Register>> Open(storage::Database& database);

  Result<> Begin(const SessionRow& row);
  // Updates everything from `row` except the session's identity and its beginning.
  Result<> End(const SessionRow& row);
  Result<> Forget(const std::string& id);

  // The row of an ended session of the caller's.
  Result<std::optional<SessionRow>> FindEnded(const std::string& caller, const std::string& id);
  // The latest session that was given that name, if it has ended.
  Result<std::optional<SessionRow>> FindEndedNamed(const std::string& caller,
                                                   const std::string& name);
  // Newest first, at most kMostListed, skipping the first `skipped`.
  Result<std::vector<SessionRow>> ListEnded(const std::string& caller, std::size_t skipped = 0);

  // Sessions not marked as ended, at most kMostListed per call.
  Result<std::vector<SessionRow>> Living();
  // Sessions that ended before `before_ms`, oldest first, at most kMostListed per call.
  Result<std::vector<SessionRow>> EndedBefore(std::int64_t before_ms);
  // All ids greater than `after`, at most kMostListed per call.
  Result<std::vector<std::string>> Ids(const std::string& after);

 private:
  explicit Register(storage::Database& database) : database_(database) {}
  Result<> TakeName(const SessionRow& row);
  Result<std::vector<SessionRow>> Select(std::string_view sql,
                                         std::span<const storage::Value> params,
                                         std::size_t skipped = 0);

  storage::Database& database_;
};

}  // namespace belljar::run
