#include "archive/replace.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <vector>

#include "archive/directory.h"
#include "base/sys.h"
#include "policy/request.h"

namespace belljar::archive {
namespace {

constexpr int kDirectory = O_RDONLY | O_DIRECTORY | O_NOFOLLOW;
constexpr std::size_t kMostLevels = 128;

struct Place {
  Fd parent;
  std::string name;
};

Result<Place> Find(const Fd& workspace, const std::string& path) {
  const auto slash = path.rfind('/');
  const std::string above = slash == std::string::npos ? "." : path.substr(0, slash);
  Fd parent = BJ_TRY(OpenBeneath(workspace, above, kDirectory));
  return Place{std::move(parent), slash == std::string::npos ? path : path.substr(slash + 1)};
}

class Remover {
 public:
  Result<> Remove(const Fd& parent, const std::string& name, std::size_t level) {
    if (++removed_ > kMostRemoved || level > kMostLevels) {
      return Error(Kind::kExhausted, "too much to remove at once");
    }
    if (::unlinkat(parent.get(), name.c_str(), 0) == 0) return {};
    // A directory says EISDIR, or EPERM, by file system.
    if (errno != EISDIR && errno != EPERM) return SysError("unlink", name, errno);
    {
      const Fd dir = BJ_TRY(OpenBeneath(parent, name, kDirectory));
      const auto names = BJ_TRY(NamesIn(dir, "", kMostRemoved));
      for (const std::string& below : names) BJ_TRY(Remove(dir, below, level + 1));
    }
    BJ_TRY(
        Check("rmdir", name, [&] { return ::unlinkat(parent.get(), name.c_str(), AT_REMOVEDIR); }));
    return {};
  }

 private:
  std::size_t removed_ = 0;
};

}  // namespace

Result<> MakeOwnedDirs(const Fd& workspace, const std::string& path, std::uint32_t uid) {
  for (std::size_t at = path.find('/');; at = path.find('/', at + 1)) {
    const std::string part = path.substr(0, at);
    if (!OpenBeneath(workspace, part, kDirectory | O_PATH)) {
      const Fd dir = BJ_TRY(MakeDirsBeneath(workspace, part, 0755));
      BJ_TRY(
          Check("chown", part, [&] { return ::fchownat(dir.get(), "", uid, uid, AT_EMPTY_PATH); }));
    }
    if (at == std::string::npos) return {};
  }
}

Result<Fd> ReplaceFile(const Fd& workspace, const Replacement& to) {
  if (const auto slash = to.path.rfind('/'); slash != std::string::npos) {
    BJ_TRY(MakeOwnedDirs(workspace, to.path.substr(0, slash), to.uid));
  }
  const Place place = BJ_TRY(Find(workspace, to.path));
  if (::unlinkat(place.parent.get(), place.name.c_str(), 0) != 0 && errno != ENOENT) {
    // A directory says EISDIR, or EPERM, by file system.
    if (errno != EISDIR && errno != EPERM) return SysError("replace", to.path, errno);
    return Error(Kind::kInvalid,
                 to.path + " is a directory: remove it first, or name a file in it");
  }
  Fd file = BJ_TRY(OpenBeneath(place.parent, place.name, O_WRONLY | O_CREAT | O_EXCL, to.mode));
  BJ_TRY(Check("chown", to.path, [&] { return ::fchown(file.get(), to.uid, to.uid); }));
  // Not left to the umask of this process.
  BJ_TRY(Check("chmod", to.path, [&] { return ::fchmod(file.get(), to.mode); }));
  return file;
}

Result<> WriteFileBeneath(const Fd& workspace, const Replacement& to, std::string_view bytes) {
  BJ_TRY(policy::ValidateWorkspacePath(to.path));
  const Fd file = BJ_TRY(ReplaceFile(workspace, to));
  return WriteAll(file, bytes, to.path);
}

Result<> RemoveBeneath(const Fd& workspace, const std::string& path) {
  BJ_TRY(policy::ValidateWorkspacePath(path));
  const Place place = BJ_TRY(Find(workspace, path));
  return Remover().Remove(place.parent, place.name, 0);
}

}  // namespace belljar::archive
