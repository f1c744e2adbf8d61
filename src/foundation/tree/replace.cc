#include "foundation/tree/replace.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "foundation/base/random_id.h"
#include "foundation/base/relative_path.h"
#include "foundation/base/sys.h"
#include "foundation/tree/open.h"
#include "foundation/tree/path.h"

namespace belljar::tree {
namespace {

Error IsDirectory(const std::string& path) {
  return Error(Kind::kInvalid, path + " is a directory: remove it first, or name a file in it");
}

enum class Found { kNothing, kFolder, kOther };

// A link counts as another kind wherever it leads: no file is written through a link.
Result<Found> Look(const Fd& workspace, const std::string& path) {
  const auto there = OpenBeneath(workspace, path, O_PATH | O_NOFOLLOW);
  if (!there) {
    const int sys = there.error().sys();
    return sys == ELOOP || sys == ENOTDIR ? Found::kOther : Found::kNothing;
  }
  struct stat status {};
  BJ_TRY(Check("stat", path, [&] { return ::fstat(there->get(), &status); }));
  return S_ISDIR(status.st_mode) ? Found::kFolder : Found::kOther;
}

// Checks that every component of `path` is a directory or does not exist yet.
Result<> MustLeadOn(const Fd& workspace, const std::string& path) {
  for (std::size_t at = path.find('/');; at = path.find('/', at + 1)) {
    const std::string part = path.substr(0, at);
    if (BJ_TRY(Look(workspace, part)) == Found::kOther) {
      return Error(Kind::kInvalid, part + " is no directory: remove it first");
    }
    if (at == std::string::npos) return {};
  }
}

}  // namespace

Result<> MakeOwnedDirs(const Fd& workspace, const std::string& path, std::uint32_t uid) {
  for (std::size_t at = path.find('/');; at = path.find('/', at + 1)) {
    const std::string part = path.substr(0, at);
    if (!OpenDirectory(workspace, part, O_PATH)) {
      const Fd dir = BJ_TRY(MakeDirsBeneath(workspace, part, 0755));
      BJ_TRY(
          Check("chown", part, [&] { return ::fchownat(dir.get(), "", uid, uid, AT_EMPTY_PATH); }));
    }
    if (at == std::string::npos) return {};
  }
}

Result<Staged> Staged::Begin(const Fd& workspace) {
  std::string name = BJ_TRY(RandomId(".belljar-"));
  BJ_TRY(Check("mkdir", name, [&] { return ::mkdirat(workspace.get(), name.c_str(), 0700); }));
  Fd own = BJ_TRY(OpenDirectory(workspace, "", O_RDONLY));
  Fd aside = BJ_TRY(OpenDirectory(workspace, name, O_RDONLY));
  return Staged(std::move(own), std::move(aside), std::move(name));
}

Staged::~Staged() {
  if (!aside_) return;
  for (const File& file : files_) ::unlinkat(aside_.get(), file.name.c_str(), 0);
  ::unlinkat(workspace_.get(), name_.c_str(), AT_REMOVEDIR);
}

Result<Fd> Staged::Add(Replacement to) {
  const std::string name = std::to_string(files_.size());
  Fd file = BJ_TRY(OpenBeneath(aside_, name, O_WRONLY | O_CREAT | O_EXCL, to.mode));
  files_.push_back({std::move(to), name});
  const Replacement& made = files_.back().to;
  BJ_TRY(Check("chown", made.path, [&] { return ::fchown(file.get(), made.uid, made.uid); }));
  // fchmod, because the umask of this process restricts the mode given at creation.
  BJ_TRY(Check("chmod", made.path, [&] { return ::fchmod(file.get(), made.mode); }));
  return file;
}

void Staged::AddDirectory(Replacement to) { directories_.push_back(std::move(to)); }

Result<> Staged::PlaceOne(File& file) {
  const std::string name(NameOf(file.to.path));
  const Fd parent =
      BJ_TRY(OpenDirectory(workspace_, std::string(ParentOf(file.to.path)), O_RDONLY));
  if (::renameat(aside_.get(), file.name.c_str(), parent.get(), name.c_str()) == 0) return {};
  if (errno == EISDIR) return IsDirectory(file.to.path);
  return SysError("replace", file.to.path, errno);
}

Result<> Staged::Place() {
  for (const Replacement& dir : directories_) BJ_TRY(MustLeadOn(workspace_, dir.path));
  for (const File& file : files_) {
    const std::string above(ParentOf(file.to.path));
    if (!above.empty()) BJ_TRY(MustLeadOn(workspace_, above));
    if (BJ_TRY(Look(workspace_, file.to.path)) == Found::kFolder) {
      return IsDirectory(file.to.path);
    }
  }
  for (const Replacement& dir : directories_) {
    BJ_TRY(MakeOwnedDirs(workspace_, dir.path, dir.uid));
  }
  for (File& file : files_) {
    const std::string above(ParentOf(file.to.path));
    if (!above.empty()) BJ_TRY(MakeOwnedDirs(workspace_, above, file.to.uid));
    BJ_TRY(PlaceOne(file));
  }
  return {};
}

Result<> WriteFileBeneath(const Fd& workspace, const Replacement& to, std::string_view bytes) {
  BJ_TRY(CheckRelativePath(to.path));
  Staged staged = BJ_TRY(Staged::Begin(workspace));
  const Fd file = BJ_TRY(staged.Add(to));
  BJ_TRY(WriteAll(file, bytes, to.path));
  return staged.Place();
}

}  // namespace belljar::tree
