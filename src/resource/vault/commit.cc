#include "resource/vault/commit.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <optional>

#include "foundation/base/quote.h"
#include "foundation/base/random_id.h"
#include "foundation/base/sys.h"
#include "foundation/tree/copy.h"
#include "foundation/tree/path.h"
#include "resource/vault/conflict.h"

namespace belljar::resource::vault {
namespace {

// up to this number, each file is synced alone; more are synced by one syncfs
constexpr std::size_t kFewFiles = 128;

std::string Purpose(const Staged& vault) { return "vault " + vault.wish.host; }

// The state of one vault during a commit.
struct Commission {
  const Staged& vault;
  Tree after;
  Plan plan;
  Part part;
};

// The mode of the new file: the old one, with the execute bits as the program has set them.
mode_t ModeOf(const Node& before, const Node& after) {
  if (IsExecutable(before) == IsExecutable(after)) return before.mode;
  if (!IsExecutable(after)) return before.mode & ~static_cast<mode_t>(0111);
  return before.mode | (before.mode & 0444) >> 2;
}

Part MakePart(const Commission& work, const std::string& id) {
  const HostDir& host = work.vault.host;
  Part part{work.vault.wish.host, host.device, host.inode, BootId(), host.uid, host.gid, {}};
  const auto add = [&](Doing doing, const std::vector<std::string>& paths) {
    for (const std::string& path : paths) part.steps.push_back({doing, path, ""});
  };
  add(Doing::kRemove, work.plan.remove);
  add(Doing::kRemoveDir, work.plan.remove_dirs);
  add(Doing::kMakeDir, work.plan.make_dirs);
  for (const std::string& path : work.plan.place) {
    const std::string place = WaitingPlace(work.vault.before, work.after, path);
    part.steps.push_back({Doing::kPlace, path,
                          fmt::format("{}{}{}{}-{}", place, place.empty() ? "" : "/",
                                      kWaitingPrefix, id, part.steps.size())});
  }
  return part;
}

Result<> WriteFile(const Commission& work, const Fd& dir, const Step& step) {
  const Node& after = work.after.at(step.path);
  const Fd from = BJ_TRY(tree::OpenFile(work.vault.copy, step.path));
  const std::string name(tree::NameOf(step.waiting));
  // For a new file, the umask of this process applies to the mode.
  const mode_t mode = IsExecutable(after) ? 0755 : 0644;
  const Fd to = BJ_TRY(OpenBeneath(dir, name, O_WRONLY | O_CREAT | O_EXCL, mode));
  const tree::Content written = BJ_TRY(tree::CopyFile(from, &to, step.path));
  if (written.digest != after.digest) {
    return Error(Kind::kInternal, Quote(step.path) + " was not read twice alike");
  }
  BJ_TRY(GiveTo(dir, name, work.part.uid, work.part.gid));
  const auto before = work.vault.before.find(step.path);
  if (before != work.vault.before.end() && before->second.kind == NodeKind::kFile) {
    const mode_t kept = ModeOf(before->second, after);
    BJ_TRY(Check("chmod", step.path, [&] { return ::fchmod(to.get(), kept); }));
  }
  if (work.plan.place.size() > kFewFiles) return {};
  BJ_TRY(Check("fsync", step.path, [&] { return ::fsync(to.get()); }));
  return {};
}

Result<> WriteBeside(const Commission& work, const Step& step) {
  const Fd dir = BJ_TRY(OpenParent(work.vault.host, step.waiting));
  const Node& after = work.after.at(step.path);
  if (after.kind == NodeKind::kFile) return WriteFile(work, dir, step);
  const std::string name(tree::NameOf(step.waiting));
  BJ_TRY(Check("symlink", step.path,
               [&] { return ::symlinkat(after.target.c_str(), dir.get(), name.c_str()); }));
  return GiveTo(dir, name, work.part.uid, work.part.gid);
}

Result<> PrepareOne(const Commission& work, CrashPoint* crash) {
  std::vector<std::string> touched;
  for (const Step& step : work.part.steps) {
    if (step.doing != Doing::kPlace) continue;
    BJ_TRY(Pass(crash));
    BJ_TRY(WriteBeside(work, step));
    touched.push_back(step.waiting);
  }
  if (touched.size() > kFewFiles) {
    BJ_TRY(Check("sync", work.vault.host.path, [&] { return ::syncfs(work.vault.host.fd.get()); }));
    return {};
  }
  return SyncDirs(work.vault.host, touched);
}

// Everything before the commit is decided.
Result<> Prepare(const std::vector<Commission>& works, JournalFile& journal, CrashPoint* crash) {
  for (const Commission& work : works) {
    BJ_TRY(PrepareOne(work, crash).While(Purpose(work.vault)));
  }
  for (const Commission& work : works) {
    BJ_TRY(
        CheckUnchanged(work.vault.host, work.vault.before, work.plan).While(Purpose(work.vault)));
  }
  BJ_TRY(Pass(crash));
  return journal.Commit();
}

Result<> Undo(const std::vector<Commission>& works, JournalFile& journal) {
  for (const Commission& work : works) BJ_TRY(TakeBack(work.vault.host, work.part));
  return journal.Remove();
}

Result<> Finish(const std::vector<Commission>& works, JournalFile& journal, CrashPoint* crash) {
  for (const Commission& work : works) BJ_TRY(CarryOut(work.vault.host, work.part, crash));
  BJ_TRY(Pass(crash));
  return journal.Remove();
}

Result<> Transact(std::vector<Commission>& works, const std::string& journal_dir,
                  CrashPoint* crash) {
  const std::string id = BJ_TRY(RandomId(""));
  std::vector<Part> parts;
  for (Commission& work : works) {
    work.part = MakePart(work, id);
    parts.push_back(work.part);
  }
  JournalFile journal = BJ_TRY(JournalFile::Begin(journal_dir, id, parts));
  BJ_TRY(Pass(crash));
  auto prepared = Prepare(works, journal, crash);
  if (crash != nullptr && crash->crashed()) return prepared;
  if (!prepared && journal.stage() == Stage::kPreparing) {
    // What cannot be undone now is undone at the next start, because the journal remains.
    static_cast<void>(static_cast<bool>(Undo(works, journal)));
    return prepared;
  }
  const auto finished = Finish(works, journal, crash);
  if (finished) return {};
  return Error(finished.error()).While("the commit has begun, and is finished at the next start");
}

Result<Commission> Commissioned(const Staged& vault, tree::Budget& budget) {
  Commission work{vault, {}, {}, {}};
  work.after = BJ_TRY(ReadTree(vault.copy, budget));
  work.plan = Compare(vault.before, work.after);
  BJ_TRY(CheckLinks(work.plan, work.after));
  BJ_TRY(CheckUnchanged(vault.host, vault.before, work.plan));
  return work;
}

Result<bool> Overlap(const HostDir& one, const HostDir& other) {
  const bool inside = BJ_TRY(LiesIn(one, other));
  if (inside) return true;
  return LiesIn(other, one);
}

// A run that could write to the state directory through a vault, or read the keys in it, could
// escape its limits. Two vaults with the same directory, one of them writable, would contradict
// each other.
Result<> CheckOverlaps(const std::vector<Staged>& vaults, const std::string& state_dir) {
  const HostDir state = BJ_TRY(OpenHostDir(state_dir));
  for (const Staged& vault : vaults) {
    const bool own = BJ_TRY(Overlap(vault.host, state));
    if (own) return Error(Kind::kDenied, Purpose(vault) + ": Belljar keeps its own state there");
    for (const Staged& other : vaults) {
      if (&other == &vault || vault.wish.mode != request::VaultMode::kReadWrite) continue;
      const bool both = BJ_TRY(Overlap(vault.host, other.host));
      if (!both) continue;
      return Error(Kind::kInvalid,
                   Purpose(vault) + ": it is written to, and overlaps with " + other.wish.host);
    }
  }
  return {};
}

Result<Staged> OpenWish(const request::Vault& wish, const Fd& copy) {
  Staged vault;
  vault.wish = wish;
  vault.host = BJ_TRY(OpenHostDir(wish.host));
  vault.copy = BJ_TRY(OpenBeneath(copy, ".", O_RDONLY | O_DIRECTORY));
  if (wish.mode == request::VaultMode::kReadOnly) return vault;
  BJ_TRY(Check("write to", wish.host,
               [&] { return ::faccessat(vault.host.fd.get(), ".", W_OK | X_OK, AT_EACCESS); }));
  return vault;
}

Result<> FillOne(Staged& vault, tree::Budget& budget) {
  struct stat status {};
  BJ_TRY(Check("stat", "the copy", [&] { return ::fstat(vault.copy.get(), &status); }));
  const HostLock lock = BJ_TRY(HostLock::Take(vault.host, Sharing::kCopying));
  vault.before = BJ_TRY(CopyIn(vault.host.fd, vault.copy, status.st_uid, budget));
  return {};
}

}  // namespace

Result<std::vector<Staged>> StageVaults(const std::vector<request::Vault>& wishes,
                                        const std::vector<const Fd*>& copies,
                                        const std::string& state_dir) {
  std::vector<Staged> vaults;
  for (std::size_t i = 0; i < wishes.size(); ++i) {
    auto vault = BJ_TRY(OpenWish(wishes[i], *copies.at(i)).While("vault " + wishes[i].host));
    vaults.push_back(std::move(vault));
  }
  BJ_TRY(CheckOverlaps(vaults, state_dir));
  tree::Budget budget = WholeBudget();
  for (Staged& vault : vaults) BJ_TRY(FillOne(vault, budget).While(Purpose(vault)));
  return vaults;
}

Result<std::vector<Changes>> CommitVaults(const std::vector<Staged>& vaults,
                                          const std::string& journal_dir, CrashPoint* crash) {
  std::vector<HostLock> locks;
  std::vector<Commission> works;
  std::vector<Changes> changes(vaults.size());
  tree::Budget budget = WholeBudget();
  for (std::size_t i = 0; i < vaults.size(); ++i) {
    const Staged& vault = vaults[i];
    if (vault.wish.mode == request::VaultMode::kReadOnly) continue;
    auto lock = BJ_TRY(HostLock::Take(vault.host, Sharing::kCommitting).While(Purpose(vault)));
    locks.push_back(std::move(lock));
    auto work = BJ_TRY(Commissioned(vault, budget).While(Purpose(vault)));
    changes[i] = work.plan.changes;
    if (!work.plan.empty()) works.push_back(std::move(work));
  }
  if (!works.empty()) BJ_TRY(Transact(works, journal_dir, crash));
  return changes;
}

}  // namespace belljar::resource::vault
