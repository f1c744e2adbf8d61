// Journal: what a commit is about to do, written down before it does it.
//
// One file in STATE/vaults for one commit, for all vaults of a run together. Its name says how far
// the commit is: ID.new is being written and counts for nothing, with ID.prepare only files under
// waiting names may have been made, and from ID.commit on the commit holds: every step is carried
// out, now or at the next start. Going from one to the next is one rename. docs/vaults.md has the
// bytes.
//
// The file is locked as long as its process lives, so that a commit under way is not taken for one
// that has crashed. Whoever gets the lock of a journal is alone with it.
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

// How every name begins under which new content waits.
constexpr std::string_view kWaitingPrefix = ".belljar-";

struct Step {
  Doing doing = Doing::kRemove;
  std::string path;
  std::string waiting;  // kPlace: where the new content lies until then
  bool operator==(const Step&) const = default;
};

// The steps of one vault.
struct Part {
  std::string host;
  std::uint64_t device = 0;  // of the directory itself, so that no other is taken for it
  std::uint64_t inode = 0;
  std::string boot;       // for how long `device` means something
  std::uint32_t uid = 0;  // to whom what is made belongs, where the supervisor is root
  std::uint32_t gid = 0;
  std::vector<Step> steps;
  bool operator==(const Part&) const = default;
};

std::string WriteParts(const std::vector<Part>& parts);
// Paths that no commit could have written are refused: the file may have been meddled with.
Result<std::vector<Part>> ReadParts(std::string_view text);

enum class Stage { kPreparing, kCommitted };

class JournalFile {
 public:
  // Writes ID.prepare, durable when it returns. The directory is made if it is not there.
  static Result<JournalFile> Begin(const std::string& dir, const std::string& id,
                                   const std::vector<Part>& parts);
  // Takes over a journal that nobody holds; nothing if somebody does, or if it has gone.
  static Result<std::optional<JournalFile>> TakeOver(const std::string& dir,
                                                     const std::string& name);

  Stage stage() const { return stage_; }
  const std::string& name() const { return name_; }
  Result<std::vector<Part>> Read() const;

  // From here on the commit holds. Durable when it returns.
  Result<> Commit();
  // The end of it: everything has been done, or undone.
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

// The names of the journals in `dir`; none if it does not exist.
Result<std::vector<std::string>> ListJournals(const std::string& dir);

}  // namespace belljar::resource::vault
