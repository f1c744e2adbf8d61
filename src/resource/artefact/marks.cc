#include "resource/artefact/marks.h"

#include <fcntl.h>
#include <unistd.h>

#include <cstdint>

#include "foundation/base/quote.h"
#include "foundation/base/sha256.h"
#include "foundation/base/sys.h"
#include "foundation/tree/walk.h"
#include "resource/artefact/content.h"

namespace belljar::resource::artefact {
namespace {

void AddNumber(Sha256& hasher, std::int64_t number) {
  hasher.Add({reinterpret_cast<const char*>(&number), sizeof(number)});
}

Result<> AddMark(Sha256& hasher, const struct stat& is, const std::string& path) {
  const mode_t mode = is.st_mode & 07777;
  const bool proper = (S_ISREG(is.st_mode) && mode == 0444 && is.st_nlink == 1) ||
                      (S_ISDIR(is.st_mode) && mode == 0555) || S_ISLNK(is.st_mode);
  if (!proper || is.st_uid != ::geteuid()) {
    return Invalid("{} has mode {:04o}, {} names and the owner {}", Quote(path), mode, is.st_nlink,
                   is.st_uid);
  }
  AddNumber(hasher, static_cast<std::int64_t>(path.size()));
  hasher.Add(path);
  AddNumber(hasher, static_cast<std::int64_t>(is.st_ino));
  AddNumber(hasher, is.st_mode);
  AddNumber(hasher, is.st_size);
  for (const timespec& time : {is.st_mtim, is.st_ctim}) {
    AddNumber(hasher, time.tv_sec);
    AddNumber(hasher, time.tv_nsec);
  }
  return {};
}

}  // namespace

Result<std::string> MarksOf(const Fd& content) {
  struct stat root {};
  BJ_TRY(Check("stat", "the content", [&] { return ::fstat(content.get(), &root); }));
  Sha256 hasher;
  BJ_TRY(AddMark(hasher, root, "."));
  if (S_ISDIR(root.st_mode)) {
    tree::Budget budget(TreeBounds());
    BJ_TRY(tree::Walk(content, TreeRules(), budget, [&](const tree::Entry& entry) {
      return AddMark(hasher, entry.status, entry.path);
    }));
  }
  return Hex(hasher.Finish());
}

}  // namespace belljar::resource::artefact
