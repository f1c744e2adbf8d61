// Register: the sessions of a state directory, in its database, so that none is lost without a
// word.
//
// A session is entered before it is given out, and marked when it ends. Who finds one that lives in
// the register of a daemon that has gone knows that it ended with it. Ended ones stay for a stated
// time and are then forgotten; sessions that their caller has ended are forgotten at once.
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
  std::optional<std::int64_t> ended_ms;  // none: it lives, or lived when its daemon was killed
  std::string reason;                    // why it ended
  std::int64_t last_used_ms = 0;
  std::int64_t runs = 0;
  std::optional<std::int64_t> wall_ms, cpu_ms;  // none: its daemon could not say any more
  std::int64_t kept_bytes = 0;                  // of the workspace
  std::int64_t kept_files = 0;
  std::string trouble;  // why not all of the workspace was kept; empty when it was
  bool operator==(const SessionRow&) const = default;
};

class Register {
 public:
  static constexpr std::size_t kMostListed = 1'000;

  // Brings the schema up to date.
  static Result<std::unique_ptr<Register>> Open(storage::Database& database);

  Result<> Begin(const SessionRow& row);
  // Everything but who it is and when it began is taken from `row`.
  Result<> End(const SessionRow& row);
  Result<> Forget(const std::string& id);

  // Of an ended session of the caller's.
  Result<std::optional<SessionRow>> FindEnded(const std::string& caller, const std::string& id);
  // The latest that was given that name, if it has ended.
  Result<std::optional<SessionRow>> FindEndedNamed(const std::string& caller,
                                                   const std::string& name);
  // Newest first, at most kMostListed, after the first `skipped`.
  Result<std::vector<SessionRow>> ListEnded(const std::string& caller, std::size_t skipped = 0);

  // Those that have not been marked as ended, kMostListed at a time.
  Result<std::vector<SessionRow>> Living();
  // Those that ended before `before_ms`, oldest first, kMostListed at a time.
  Result<std::vector<SessionRow>> EndedBefore(std::int64_t before_ms);
  // The ids of all, kMostListed at a time, from after `after` on.
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
