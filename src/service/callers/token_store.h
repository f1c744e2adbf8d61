// TokenStore: the authenticated callers, with their tokens' digests, in a database.
//
// A request must not cost a query, so all callers are cached in memory. Every change of the table
// increments a number in the database in the same transaction. The first lookup of each second
// reads this number, and reloads the whole table if it differs. So a change by another process
// takes effect here after kFreshness at the latest, and a change through this store immediately. An
// unknown token costs a digest and no query.
//
// If the number cannot be read, lookups fail with that error, because the cache may hold revoked
// tokens; the next lookup tries again.
//
// A lookup finds the entry by the first eight bytes of the digest and compares the whole digest in
// constant time. Timing could reveal at most a digest, from which the token cannot be derived.
//
// Every change also adds a row for the audit log (change_log.h).
//
// Thread-safe. The database must outlive the store, and should not be shared: a lookup that
// refreshes the cache waits for other users of the same Database.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "foundation/base/json.h"
#include "foundation/storage/database.h"
#include "service/callers/caller.h"
#include "service/callers/token.h"

namespace belljar::service::callers {

// The clock; tests replace it.
using Now = std::function<std::chrono::steady_clock::time_point()>;

struct CallerEntry {
  Caller caller;
  std::int64_t created;  // seconds since 1970
};

class TokenStore {
 public:
  static constexpr std::chrono::milliseconds kFreshness{1'000};
  static constexpr std::size_t kMaxCallers = 5'000;

  // Migrates the schema. `own_uid` is the daemon's user.
  static Result<std::unique_ptr<TokenStore>> Open(storage::Database& database, uid_t own_uid,
                                                  Now now = std::chrono::steady_clock::now);

  // Adds a caller and returns its token, which cannot be retrieved again.
  Result<std::string> Add(const std::string& name, const Scopes& scopes, const Quotas& quotas);
  // Allows a local user to connect through the Unix socket without a token.
  Result<> Grant(uid_t uid, const Scopes& scopes, const Quotas& quotas);
  // Removes a caller by name; "uid:N" revokes a grant.
  Result<> Remove(const std::string& name);
  Result<std::vector<CallerEntry>> List();

  // The caller with this token; nullopt if the token is unknown or was removed.
  Result<std::optional<Caller>> Find(std::string_view presented);
  // The caller for the peer of a Unix socket. Root and the daemon's own user have all scopes, other
  // users what was granted to them; nullopt if nothing was granted.
  Result<std::optional<Caller>> FindUid(uid_t uid);

 private:
  using Digests = std::unordered_multimap<std::uint64_t, std::pair<Digest, Caller>>;

  TokenStore(storage::Database& database, uid_t own_uid, Now now);
  Result<> Insert(const std::string& name, const storage::Value& digest, const Scopes& scopes,
                  const Quotas& quotas);
  // Runs `work` in a transaction and adds `detail` to the change log.
  Result<> Change(json::object detail, const std::function<Result<>()>& work);
  Result<> Refresh();
  Result<> Load();

  storage::Database& database_;
  const uid_t own_uid_;
  const Now now_;

  std::mutex mutex_;  // guards the members below
  // nullopt: the next lookup reads the number.
  std::optional<std::chrono::steady_clock::time_point> checked_;
  std::optional<std::int64_t> loaded_change_;
  Digests by_digest_;
  std::map<std::string, Caller, std::less<>> granted_;  // key: "uid:N"
};

}  // namespace belljar::service::callers
