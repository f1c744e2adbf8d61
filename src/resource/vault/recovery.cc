#include "resource/vault/recovery.h"

#include <fmt/format.h>

#include <optional>

#include "resource/vault/host_dir.h"
#include "resource/vault/journal.h"

namespace belljar::resource::vault {
namespace {

Result<> WorkOff(const Part& part, Stage stage, CrashPoint* crash) {
  const HostDir host = BJ_TRY(OpenPart(part));
  const HostLock lock = BJ_TRY(HostLock::Take(host, Sharing::kCommitting));
  if (stage == Stage::kPreparing) return TakeBack(host, part);
  return CarryOut(host, part, crash);
}

Result<> WorkOffAll(JournalFile& journal, const std::vector<Part>& parts, CrashPoint* crash) {
  for (const Part& part : parts) {
    BJ_TRY(WorkOff(part, journal.stage(), crash).While("vault " + part.host));
  }
  BJ_TRY(Pass(crash));
  return journal.Remove();
}

std::string Join(const std::vector<std::string>& hosts) {
  return fmt::format("{}", fmt::join(hosts, ", "));
}

Recovered RecoverOne(JournalFile& journal, CrashPoint* crash) {
  Recovered recovered;
  const auto parts = journal.Read();
  if (!parts) {
    recovered.pending = true;
    recovered.sentence = parts.error().message();
    return recovered;
  }
  for (const Part& part : *parts) recovered.hosts.push_back(part.host);
  const bool undo = journal.stage() == Stage::kPreparing;
  const auto done = WorkOffAll(journal, *parts, crash);
  recovered.pending = !done;
  recovered.sentence =
      done ? fmt::format("an interrupted commit to {} was {}", Join(recovered.hosts),
                         undo ? "undone" : "finished")
           : fmt::format("an interrupted commit ({}) could not be {}: {}", journal.name(),
                         undo ? "undone" : "finished", done.error().message());
  return recovered;
}

}  // namespace

Result<std::vector<Recovered>> Recover(const std::string& journal_dir, CrashPoint* crash) {
  std::vector<Recovered> all;
  const std::vector<std::string> names = BJ_TRY(ListJournals(journal_dir));
  for (const std::string& name : names) {
    auto journal = BJ_TRY(JournalFile::TakeOver(journal_dir, name));
    if (!journal) continue;
    Recovered recovered = RecoverOne(*journal, crash);
    // A journal in the stage .new has changed nothing and is not reported.
    if (recovered.pending || !recovered.hosts.empty()) all.push_back(std::move(recovered));
  }
  return all;
}

}  // namespace belljar::resource::vault
