// TokenStore: the callers that have been let in, in a database.
//
// A request must not cost a query. All callers are kept in memory, and a number in the database,
// which every change of the table raises in the same transaction, tells whether they are still
// true: the first lookup of each second reads that number, and the whole table if it differs. So
// what another process adds or removes holds here after kFreshness at the latest, and what this
// store changes holds at once. An unknown token costs a digest and no query, however many come.
//
// When the number cannot be read, lookups fail with that error rather than trusting what may have
// been revoked; the next one tries again.
//
// On the hot path the digest's first eight bytes find the entry, and the whole digest is compared
// in constant time. Timing could at best tell of a digest, which says nothing about its token.
//
// Every change leaves a row for the audit log, too (change_log.h).
//
// Thread-safe. The database must outlive the store, and should be the store's own: a lookup that
// wants to refresh waits its turn behind other users of the same Database.
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

#include "base/json.h"
#include "callers/caller.h"
#include "callers/token.h"
#include "storage/database.h"

namespace belljar::callers {

// The time, so that tests need not wait for it.
using Now = std::function<std::chrono::steady_clock::time_point()>;

struct CallerEntry {
  Caller caller;
  std::int64_t created;  // seconds since 1970
};

class TokenStore {
 public:
  static constexpr std::chrono::milliseconds kFreshness{1'000};
  static constexpr std::size_t kMaxCallers = 5'000;

  // Brings the schema up to date. `own_uid` is that of the daemon.
  static Result<std::unique_ptr<TokenStore>> Open(storage::Database& database, uid_t own_uid,
                                                  Now now = std::chrono::steady_clock::now);

  // The token of a new caller. It cannot be had a second time.
  Result<std::string> Add(const std::string& name, const Scopes& scopes, const Quotas& quotas);
  // Lets a user of this machine in through the Unix socket: no token is needed.
  Result<> Grant(uid_t uid, const Scopes& scopes, const Quotas& quotas);
  // By name. "uid:N" takes back a grant.
  Result<> Remove(const std::string& name);
  Result<std::vector<CallerEntry>> List();

  // Who shows this token; nothing for one that was never made, or was removed.
  Result<std::optional<Caller>> Find(std::string_view presented);
  // Who is at the other end of a Unix socket. Root and the daemon's own user may do everything;
  // others what was granted them; nobody else anything.
  Result<std::optional<Caller>> FindUid(uid_t uid);

 private:
  using Digests = std::unordered_multimap<std::uint64_t, std::pair<Digest, Caller>>;

  TokenStore(storage::Database& database, uid_t own_uid, Now now);
  Result<> Insert(const std::string& name, const storage::Value& digest, const Scopes& scopes,
                  const Quotas& quotas);
  // With what is to be recorded of it.
  Result<> Change(json::object detail, const std::function<Result<>()>& work);
  Result<> Refresh();
  Result<> Load();

  storage::Database& database_;
  const uid_t own_uid_;
  const Now now_;

  std::mutex mutex_;                                              // for what follows
  std::optional<std::chrono::steady_clock::time_point> checked_;  // nothing: look again
  std::optional<std::int64_t> loaded_change_;
  Digests by_digest_;
  std::map<std::string, Caller, std::less<>> granted_;  // by "uid:N"
};

}  // namespace belljar::callers
