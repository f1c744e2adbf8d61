// Registry: the skills of all callers, in a database.
//
// A skill belongs to the caller who stored it; to others it is not there. Storing under a name that
// is there makes the next version, and older ones stay; what is stored already is not stored again.
// Every change is one transaction, so that of two who store at once one gets version n and the
// other n + 1. Rows are sealed (row.h): one that somebody else wrote or changed is never run, never
// sealed anew, and goes only by removing the skill.
//
// Health. Each run that says something of the skill is noted; a version that succeeds too seldom is
// disabled in the same transaction. Enabling it begins a new count.
//
// Compiled code is kept beside its version, under a seal with the version's digest. What is not as
// it was sealed is not there: it can be made again from the text at any time.
//
// Whether code may be stored or run at all is not decided here: whoever calls has judged it.
//
// Thread-safe. The database must outlive it.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "skills/health.h"
#include "skills/skill.h"
#include "storage/database.h"
#include "storage/seal.h"

namespace belljar::skills {

// Milliseconds since 1970.
using Now = std::function<std::int64_t()>;
std::int64_t SystemNow();

struct Added {
  Skill skill;
  bool is_new = false;  // otherwise this very definition was the newest already
};

struct Noted {
  Skill skill;
  bool disabled = false;  // by this run
};

class Registry {
 public:
  static constexpr std::size_t kMostSkillsOfOne = 200;
  static constexpr std::int64_t kMostVersions = 1'000;             // of one skill
  static constexpr std::int64_t kMostBytesOfOne = 256LL << 20;     // of code and terms
  static constexpr std::int64_t kMostCompiledOfOne = 256LL << 20;  // bytes
  static constexpr std::size_t kMostListed = kRemembered;

  // Brings the schema up to date. `key_file` is STATE/skills.key; processes and machines that share
  // a database need the same one.
  static Result<std::unique_ptr<Registry>> Open(storage::Database& database,
                                                const std::string& key_file, Now now = SystemNow);

  Result<Added> Add(const std::string& caller, const Definition& definition);

  // That version, or the newest, with its code. kNotFound: there is none; kDenied: it has been
  // tampered with. A disabled one is found too.
  Result<Skill> Find(const std::string& caller, const Handle& handle);
  // The newest version of each, by name, without code. Those that were tampered with are kTampered.
  Result<std::vector<Skill>> List(const std::string& caller);
  // All versions of one, newest first, without code and schemas.
  Result<std::vector<Skill>> Versions(const std::string& caller, const std::string& name);

  // That version, or all of them; those that have changed come back. `why` is for disabling.
  Result<std::vector<Skill>> Enable(const std::string& caller, const Handle& handle);
  Result<std::vector<Skill>> Disable(const std::string& caller, const Handle& handle,
                                     const std::string& why);
  // With all its versions and what was remembered of its runs; how many versions there were.
  Result<std::uint64_t> Remove(const std::string& caller, const std::string& name);

  // What has been compiled of that version last.
  Result<std::optional<Compiled>> CompiledOf(const Skill& skill);
  // In its place. What is too large, or one too many for its caller, is kept as empty. Of a version
  // that has been removed meanwhile nothing is kept.
  Result<> KeepCompiled(const Skill& skill, const Compiled& fresh);

  // What has come of a run of `skill`. One that has been removed meanwhile is forgotten.
  Result<Noted> Note(const Skill& skill, Run run);
  // Runs of that version, or of all, newest first.
  Result<std::vector<Run>> History(const std::string& caller, const Handle& handle,
                                   std::size_t limit);
  Result<Stats> StatsOf(const Skill& skill);
  // The same without percentiles and the last error, which have to read all that is remembered.
  Result<Stats> TotalsOf(const Skill& skill);

 private:
  // Changes a version, or leaves it.
  using Change = std::function<Result<>(Skill&)>;

  Registry(storage::Database& database, storage::SealKey key, Now now);

  Result<std::vector<Skill>> Select(std::string_view rest,
                                    std::span<const storage::Value> params) const;
  // The newest version; kNotFound and kDenied as in Find.
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

}  // namespace belljar::skills
