#include "run/vaults.h"

#include <fmt/format.h>

#include <algorithm>

#include "resource/vault/recovery.h"

namespace belljar::run {
namespace {

std::string JournalDir(const std::string& state_dir) { return state_dir + "/vaults"; }

Result<> RefusePending(const std::vector<resource::vault::Recovered>& recovered,
                       const request::Request& request) {
  for (const resource::vault::Recovered& one : recovered) {
    if (!one.pending) continue;
    for (const request::Vault& wish : request.vaults) {
      const bool same = one.hosts.empty() || std::ranges::count(one.hosts, wish.host) > 0;
      if (same) return Error(Kind::kUnavailable, "vault " + wish.host + ": " + one.sentence);
    }
  }
  return {};
}

// Appends the paths as the program saw them.
void Append(std::vector<std::string>& list, const std::string& prefix,
            const std::vector<std::string>& paths) {
  for (const std::string& path : paths) list.push_back(prefix + path);
  std::ranges::sort(list);
}

void NoteChanges(const resource::vault::Staged& vault, const resource::vault::Changes& changes,
                 RunResult& result) {
  const std::string prefix = fmt::format("/vault/{}/", request::VaultName(vault.wish));
  Append(result.files.created, prefix, changes.created);
  Append(result.files.changed, prefix, changes.changed);
  Append(result.files.deleted, prefix, changes.deleted);
}

void Note(const std::vector<resource::vault::Staged>& vaults, VaultOutcome outcome,
          const std::string& message, RunResult& result) {
  for (const resource::vault::Staged& vault : vaults) {
    const bool writable = vault.wish.mode == request::VaultMode::kReadWrite;
    result.vaults.push_back({vault.wish.host, vault.wish.mode,
                             writable ? outcome : VaultOutcome::kUnchanged,
                             writable ? message : std::string()});
  }
}

}  // namespace

std::vector<std::string> RecoverVaults(const std::string& state_dir) {
  const auto recovered = resource::vault::Recover(JournalDir(state_dir));
  if (!recovered) return {"vaults: " + recovered.error().message()};
  std::vector<std::string> sentences;
  for (const resource::vault::Recovered& one : *recovered) sentences.push_back(one.sentence);
  return sentences;
}

Result<std::vector<resource::vault::Staged>> StageVaults(const request::Request& request,
                                                         const cell::Cell& cell,
                                                         const std::string& state_dir) {
  if (request.vaults.empty()) return std::vector<resource::vault::Staged>();
  const auto recovered = BJ_TRY(resource::vault::Recover(JournalDir(state_dir)).While("vaults"));
  BJ_TRY(RefusePending(recovered, request));
  std::vector<const Fd*> copies;
  for (const Fd& copy : cell.vaults()) copies.push_back(&copy);
  if (copies.size() != request.vaults.size()) {
    return Error(Kind::kInternal, "the cell was built without the vaults of its request");
  }
  return resource::vault::StageVaults(request.vaults, copies, state_dir);
}

void DropVaults(const std::vector<resource::vault::Staged>& vaults, const std::string& why,
                RunResult& result) {
  Note(vaults, VaultOutcome::kDropped, why, result);
}

void SettleVaults(const std::vector<resource::vault::Staged>& vaults, cell::Cell& cell,
                  const std::string& state_dir, RunResult& result) {
  if (vaults.empty()) return;
  if (result.outcome != Outcome::kOk || result.exit_code != 0) {
    const std::string ended(OutcomeName(result.outcome));
    return Note(vaults, VaultOutcome::kDropped, "the program ended as " + ended, result);
  }
  // No process may write to the vaults while they are read.
  cell.Finish();
  const auto changes = resource::vault::CommitVaults(vaults, JournalDir(state_dir));
  if (!changes) return Note(vaults, VaultOutcome::kRefused, changes.error().message(), result);
  Note(vaults, VaultOutcome::kUnchanged, "", result);
  for (std::size_t i = 0; i < vaults.size(); ++i) {
    const resource::vault::Changes& each = (*changes)[i];
    if (each.empty()) continue;
    result.vaults[i].outcome = VaultOutcome::kCommitted;
    NoteChanges(vaults[i], each, result);
  }
}

}  // namespace belljar::run
