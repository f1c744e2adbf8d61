// Registry: the skills of all callers, in a database.
//
// A skill belongs to the caller who stored it and does not exist for others. Storing under an
// existing name makes the next version, and older versions stay; storing the newest version's
// definition again changes nothing. Every change is one transaction, so that of two concurrent
// stores one gets version n and the other n + 1. Rows are sealed (row.h): a row that another
// program inserted or changed is never run and never sealed anew, and disappears only when the
// skill is removed.
//
// Health. Each run that says something about the skill is recorded; a version whose success rate is
// too low is disabled in the same transaction. Enabling it starts a new count.
//
// Compiled code is a cache beside its version, sealed together with the version's digest. A cached
// entry with an invalid seal is ignored; it can be compiled again from the source at any time.
//
// Whether code may be stored or run is not decided here; the caller of this class has checked that.
//
// Thread-safe. The database must outlive it.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "foundation/base/result.h"
#include "foundation/storage/database.h"
#include "foundation/storage/seal.h"
#include "resource/skill/health.h"
#include "resource/skill/skill.h"

namespace belljar::resource::skill {

// Milliseconds since 1970.
using Now = std::function<std::int64_t()>;
std::int64_t SystemNow();

struct Added {
  Skill skill;
  bool is_new = false;  // false: the definition equals the newest version
};

struct Noted {
  Skill skill;
  bool disabled = false;  // this run has disabled the version
};

class Registry {
 public:
  static constexpr std::size_t kMostSkillsOfOne = 200;
  static constexpr std::int64_t kMostVersions = 1'000;             // per skill
  static constexpr std::int64_t kMostBytesOfOne = 256LL << 20;     // per caller, of code and terms
  static constexpr std::int64_t kMostCompiledOfOne = 256LL << 20;  // per caller, in bytes
  static constexpr std::size_t kMostListed = kRemembered;

  // Migrates the schema. `key_file` is STATE/skills.key; all processes and machines that share a
  // database need the same key.
  static Result<std::unique_ptr<Registry>> Open(storage::Database& database,
                                                const std::string& key_file, Now now = SystemNow);

  Result<Added> Add(const std::string& caller, const Definition& definition);

  // The given version, or the newest, with its code; also if it is disabled. kNotFound: there is
  // none; kDenied: its row was tampered with.
  Result<Skill> Find(const std::string& caller, const Handle& handle);
  // The newest version of each skill, by name, without code. Tampered rows have state kTampered.
  Result<std::vector<Skill>> List(const std::string& caller);
  // All versions of a skill, newest first, without code and schemas.
  Result<std::vector<Skill>> Versions(const std::string& caller, const std::string& name);

  // Enable or disable the given version, or all versions; both return the versions that changed.
  // `why` is the reason for disabling.
  Result<std::vector<Skill>> Enable(const std::string& caller, const Handle& handle);
  Result<std::vector<Skill>> Disable(const std::string& caller, const Handle& handle,
                                     const std::string& why);
  // Removes a skill with all versions and recorded runs; returns how many versions there were.
  Result<std::uint64_t> Remove(const std::string& caller, const std::string& name);

  // The cached compiled code of that version.
  Result<std::optional<Compiled>> CompiledOf(const Skill& skill);
  // Replaces the cached code. Code that is too large, or exceeds the caller's limit, is stored as
  // empty. If the version has been removed meanwhile, nothing is stored.
  Result<> KeepCompiled(const Skill& skill, const Compiled& fresh);

  // Records the result of a run of `skill`, and updates its health. Ignored if the skill was
  // removed meanwhile.
  Result<Noted> Note(const Skill& skill, Run run);
  // The recorded runs of that version, or of all versions, newest first.
  Result<std::vector<Run>> History(const std::string& caller, const Handle& handle,
                                   std::size_t limit);
  Result<Stats> StatsOf(const Skill& skill);
  // The same without percentiles and the last error, which require reading all recorded runs.
  Result<Stats> TotalsOf(const Skill& skill);

 private:
  // Modifies a version, or leaves it unchanged.
  using Change = std::function<Result<>(Skill&)>;

  Registry(storage::Database& database, storage::SealKey key, Now now);

  Result<std::vector<Skill>> Select(std::string_view rest,
                                    std::span<const storage::Value> params) const;
  // The number of the newest version; errors as in Find.
  Result<std::int64_t> Newest(const std::string& caller, const std::string& name) const;
  Result<Skill> Version(const std::string& caller, const std::string& name,
                        std::int64_t version) const;
  Result<std::string> CodeOf(const Skill& skill) const;
  Result<> Insert(const Skill& skill);
  Result<> PutHead(const Skill& skill);
  Result<> Replace(const Skill& before, const Skill& after);
  Result<> CheckRoom(const Skill& fresh) const;
  Result<> UpdateOne(const Skill& before, const Change& change, std::vector<Skill>& changed);
  Result<std::vector<Skill>> Update(const std::string& caller, const Handle& handle,
                                    const Change& change);

  Result<bool> HasRoomFor(const Skill& skill, const Compiled& fresh) const;
  Result<std::vector<Run>> SelectRuns(std::string_view rest,
                                      std::span<const storage::Value> params) const;
  Result<> InsertRun(const Skill& skill, const Run& run);
  Result<bool> DisableUnhealthy(Skill& skill, const Run& run);
  Result<> TrimRuns(const Skill& skill);

  storage::Database& database_;
  const storage::SealKey key_;
  const Now now_;
};

}  // namespace belljar::resource::skill
