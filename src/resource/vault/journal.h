// Journal: the write-ahead log of a commit; it lists the steps before they are executed.
//
// One file in STATE/vaults per commit, for all vaults of a run together. Its name tells the stage.
// ID.new: being written; recovery ignores and removes it. ID.prepare: only staged files may have
// been made; recovery undoes them. ID.commit: the commit is decided, and every step is executed,
// now or at the next start. Each transition is one rename. docs/vaults.md describes the format.
//
// The file is locked while its process lives, so that recovery can tell a commit in progress from a
// crashed one. The holder of a journal's lock is the only process that may act on it.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "foundation/base/fd.h"
#include "foundation/base/result.h"

namespace belljar::resource::vault {

enum class Doing { kRemove, kRemoveDir, kMakeDir, kPlace };

// Prefix of the names of staged files.
constexpr std::string_view kWaitingPrefix = ".belljar-";

struct Step {
  Doing doing = Doing::kRemove;
  std::string path;
  std::string waiting;  // kPlace: where the new content is staged
  bool operator==(const Step&) const = default;
};

// The steps of one vault.
struct Part {
  std::string host;
  std::uint64_t device = 0;  // of the directory itself, to recognise a replaced directory
  std::uint64_t inode = 0;
  std::string boot;       // boot id; `device` is valid only for this boot
  std::uint32_t uid = 0;  // owner of new files, if the supervisor is root
  std::uint32_t gid = 0;
  std::vector<Step> steps;
  bool operator==(const Part&) const = default;
};

std::string WriteParts(const std::vector<Part>& parts);
// Refuses paths that no commit could have written, because the file may have been tampered with.
Result<std::vector<Part>> ReadParts(std::string_view text);

enum class Stage { kPreparing, kCommitted };

class JournalFile {
 public:
  // Writes ID.prepare; it is durable when this returns. Creates the directory if it is missing.
  static Result<JournalFile> Begin(const std::string& dir, const std::string& id,
                                   const std::vector<Part>& parts);
  // Locks a journal of a dead process; nullopt if it is locked by another process or gone.
  static Result<std::optional<JournalFile>> TakeOver(const std::string& dir,
                                                     const std::string& name);

  Stage stage() const { return stage_; }
  const std::string& name() const { return name_; }
  Result<std::vector<Part>> Read() const;

  // Decides the commit. Durable when it returns.
  Result<> Commit();
  // Removes the journal after everything has been done or undone.
  Result<> Remove();

 private:
  JournalFile(Fd dir, Fd file, std::string name, Stage stage)
      : dir_(std::move(dir)), file_(std::move(file)), name_(std::move(name)), stage_(stage) {}
  Result<> Rename(const std::string& to);

  Fd dir_;
  Fd file_;
  std::string name_;
  Stage stage_;
};

// The names of the journals in `dir`; empty if the directory does not exist.
Result<std::vector<std::string>> ListJournals(const std::string& dir);

}  // namespace belljar::resource::vault
