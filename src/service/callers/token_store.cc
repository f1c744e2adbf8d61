#include "service/callers/token_store.h"

#include <fmt/format.h>

#include <cstring>
#include <ctime>

#include "service/callers/change_log.h"

namespace belljar::service::callers {
namespace {

using storage::Blob;
using storage::Migration;
using storage::Row;
using storage::Value;

constexpr Migration kCallersSchema[] = {
    {1,
     "CREATE TABLE callers ("
     "  name TEXT PRIMARY KEY,"
     "  digest $BLOB UNIQUE,"  // of the token; NULL for a uid
     "  scopes TEXT NOT NULL,"
     "  concurrent_runs BIGINT NOT NULL,"
     "  sessions BIGINT NOT NULL,"
     "  runs_per_minute BIGINT NOT NULL,"
     "  memory_bytes BIGINT NOT NULL,"
     "  created BIGINT NOT NULL"  // seconds since 1970
     ");"
     "CREATE TABLE callers_change (one BIGINT PRIMARY KEY, number BIGINT NOT NULL);"
     "INSERT INTO callers_change (one, number) VALUES (1, 0)"}};

std::uint64_t FirstBytes(const Digest& digest) {
  std::uint64_t first = 0;
  std::memcpy(&first, digest.data(), sizeof(first));
  return first;
}

Error Damaged(std::string_view what) {
  return Error(Kind::kInternal, fmt::format("the table of callers is damaged: {}", what));
}

// Reads a quota from a row and checks its range.
template <class Number>
Result<Number> ReadQuota(const Value& value, std::uint64_t most) {
  const auto* const number = std::get_if<std::int64_t>(&value);
  if (number == nullptr || *number < 0 || static_cast<std::uint64_t>(*number) > most) {
    return Damaged("a quota is out of range");
  }
  return static_cast<Number>(*number);
}

// Columns: name, scopes, concurrent_runs, sessions, runs_per_minute, memory_bytes, created, digest.
Result<CallerEntry> ReadEntry(const Row& row) {
  const auto* const name = std::get_if<std::string>(&row.at(0));
  const auto* const scopes = std::get_if<std::string>(&row.at(1));
  const auto* const created = std::get_if<std::int64_t>(&row.at(6));
  if (name == nullptr || scopes == nullptr || created == nullptr) return Damaged("a wrong type");
  CallerEntry entry{{*name, {}, {}}, *created};
  entry.caller.scopes = BJ_TRY(Scopes::Parse(*scopes));
  Quotas& quotas = entry.caller.quotas;
  quotas.concurrent_runs = BJ_TRY(ReadQuota<std::uint32_t>(row.at(2), Quotas::kMost));
  quotas.sessions = BJ_TRY(ReadQuota<std::uint32_t>(row.at(3), Quotas::kMost));
  quotas.runs_per_minute = BJ_TRY(ReadQuota<std::uint32_t>(row.at(4), Quotas::kMost));
  quotas.memory_bytes = BJ_TRY(ReadQuota<std::uint64_t>(row.at(5), Quotas::kMostBytes));
  return entry;
}

Result<Digest> ReadDigest(const Value& value) {
  const auto* const blob = std::get_if<Blob>(&value);
  Digest digest{};
  if (blob == nullptr || blob->bytes.size() != digest.size()) return Damaged("a digest");
  std::memcpy(digest.data(), blob->bytes.data(), digest.size());
  return digest;
}

Result<std::vector<Row>> ReadAllRows(storage::Database& database) {
  return database.Query(
      "SELECT name, scopes, concurrent_runs, sessions, runs_per_minute, memory_bytes, created, "
      "digest FROM callers ORDER BY name COLLATE \"C\"",
      {});
}

// Called inside a write transaction, so that no other process adds the same name between the check
// and the insert.
Result<> CheckRoom(storage::Database& database, const std::string& name) {
  const std::vector<Value> key = {name};
  const auto same = BJ_TRY(database.Query("SELECT name FROM callers WHERE name = $1", key));
  if (!same.empty()) {
    return Error(Kind::kInvalid,
                 fmt::format("there is already a caller {}: remove it first", name));
  }
  const auto count = BJ_TRY(database.Query("SELECT count(*) FROM callers", {}));
  const auto* const callers = std::get_if<std::int64_t>(&count.at(0).at(0));
  if (callers != nullptr && *callers < std::int64_t{TokenStore::kMaxCallers}) return {};
  return Error(Kind::kExhausted, fmt::format("there are already {} callers, and no more fit",
                                             TokenStore::kMaxCallers));
}

}  // namespace

TokenStore::TokenStore(storage::Database& database, uid_t own_uid, Now now)
    : database_(database), own_uid_(own_uid), now_(std::move(now)) {}

Result<std::unique_ptr<TokenStore>> TokenStore::Open(storage::Database& database, uid_t own_uid,
                                                     Now now) {
  BJ_TRY(database.Migrate("callers", kCallersSchema));
  BJ_TRY(OpenChanges(database));
  return std::unique_ptr<TokenStore>(new TokenStore(database, own_uid, std::move(now)));
}

Result<std::string> TokenStore::Add(const std::string& name, const Scopes& scopes,
                                    const Quotas& quotas) {
  BJ_TRY(ValidateName(name));
  const std::string token = BJ_TRY(MakeToken());
  const Digest digest = Sha256::Of(token);
  BJ_TRY(Insert(name, Blob{std::string(digest.begin(), digest.end())}, scopes, quotas));
  return token;
}

Result<> TokenStore::Grant(uid_t uid, const Scopes& scopes, const Quotas& quotas) {
  return Insert(UidName(uid), std::monostate(), scopes, quotas);
}

Result<> TokenStore::Insert(const std::string& name, const Value& digest, const Scopes& scopes,
                            const Quotas& quotas) {
  if (scopes.empty()) {
    return Error(Kind::kInvalid, fmt::format("caller {} needs at least one scope", name));
  }
  BJ_TRY(ValidateQuotas(quotas));
  const auto number = [](std::uint64_t value) { return Value(static_cast<std::int64_t>(value)); };
  const std::vector<Value> row = {name,
                                  digest,
                                  scopes.Text(),
                                  number(quotas.concurrent_runs),
                                  number(quotas.sessions),
                                  number(quotas.runs_per_minute),
                                  number(quotas.memory_bytes),
                                  Value(std::int64_t{std::time(nullptr)})};
  json::object detail = BJ_TRY(DescribeRow(row));
  detail["action"] = "add";
  return Change(std::move(detail), [&]() -> Result<> {
    BJ_TRY(CheckRoom(database_, name));
    BJ_TRY(database_.Execute(
        "INSERT INTO callers (name, digest, scopes, concurrent_runs, sessions, runs_per_minute, "
        "memory_bytes, created) VALUES ($1, $2, $3, $4, $5, $6, $7, $8)",
        row));
    return {};
  });
}

Result<> TokenStore::Remove(const std::string& name) {
  if (!ParseUidName(name)) BJ_TRY(ValidateName(name));
  return Change({{"action", "remove"}, {"name", name}}, [&]() -> Result<> {
    const std::vector<Value> key = {name};
    const auto gone = BJ_TRY(database_.Execute("DELETE FROM callers WHERE name = $1", key));
    if (gone == 0) return Error(Kind::kNotFound, fmt::format("there is no caller {}", name));
    return {};
  });
}

Result<> TokenStore::Change(json::object detail, const std::function<Result<>()>& work) {
  using std::chrono::milliseconds;
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  const CallerChange change{0, std::chrono::duration_cast<milliseconds>(now).count(),
                            UidName(own_uid_), std::move(detail)};
  auto done = database_.Transaction([&]() -> Result<> {
    BJ_TRY(work());
    BJ_TRY(database_.Execute("UPDATE callers_change SET number = number + 1", {}));
    return NoteChange(database_, change);
  });
  const std::lock_guard lock(mutex_);
  checked_.reset();
  return done;
}

Result<std::vector<CallerEntry>> TokenStore::List() {
  const auto rows = BJ_TRY(ReadAllRows(database_));
  std::vector<CallerEntry> entries;
  for (const Row& row : rows) {
    CallerEntry entry = BJ_TRY(ReadEntry(row));
    entries.push_back(std::move(entry));
  }
  return entries;
}

// Reads the number before the table: a change between the two reads is then detected at the next
// refresh.
Result<> TokenStore::Refresh() {
  const auto now = now_();
  if (checked_ && now - *checked_ < kFreshness) return {};
  const auto rows = BJ_TRY(database_.Query("SELECT number FROM callers_change", {}));
  const auto* const change = rows.size() == 1 ? std::get_if<std::int64_t>(rows[0].data()) : nullptr;
  if (change == nullptr) return Damaged("the number of its changes is missing");
  if (loaded_change_ != *change) {
    BJ_TRY(Load());
    loaded_change_ = *change;
  }
  checked_ = now;
  return {};
}

Result<> TokenStore::Load() {
  const auto rows = BJ_TRY(ReadAllRows(database_));
  Digests by_digest;
  std::map<std::string, Caller, std::less<>> granted;
  for (const Row& row : rows) {
    const CallerEntry entry = BJ_TRY(ReadEntry(row));
    if (std::holds_alternative<std::monostate>(row.at(7))) {
      granted.emplace(entry.caller.name, entry.caller);
      continue;
    }
    const Digest digest = BJ_TRY(ReadDigest(row.at(7)));
    by_digest.emplace(FirstBytes(digest), std::pair(digest, entry.caller));
  }
  by_digest_ = std::move(by_digest);
  granted_ = std::move(granted);
  return {};
}

Result<std::optional<Caller>> TokenStore::Find(std::string_view presented) {
  if (!LooksLikeToken(presented)) return std::optional<Caller>();
  const Digest digest = Sha256::Of(presented);
  const std::lock_guard lock(mutex_);
  BJ_TRY(Refresh().While("look up a token"));
  const auto [first, last] = by_digest_.equal_range(FirstBytes(digest));
  for (auto entry = first; entry != last; ++entry) {
    const auto& [known, caller] = entry->second;
    if (SameDigest(known, digest)) return std::optional(caller);
  }
  return std::optional<Caller>();
}

Result<std::optional<Caller>> TokenStore::FindUid(uid_t uid) {
  std::string name = UidName(uid);
  if (uid == 0 || uid == own_uid_) {
    return std::optional(Caller{std::move(name), Scopes::All(), Quotas::Unlimited()});
  }
  const std::lock_guard lock(mutex_);
  BJ_TRY(Refresh().While("look up " + name));
  const auto found = granted_.find(name);
  return found == granted_.end() ? std::optional<Caller>() : std::optional(found->second);
}

}  // namespace belljar::service::callers
