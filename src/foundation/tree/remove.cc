#include "foundation/tree/remove.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include <vector>

#include "foundation/base/random_id.h"
#include "foundation/base/relative_path.h"
#include "foundation/base/sys.h"
#include "foundation/tree/open.h"
#include "foundation/tree/path.h"
#include "foundation/tree/walk.h"

namespace belljar::tree {
namespace {

Result<Fd> OpenToEmpty(const Fd& dir, const std::string& name, std::string_view called) {
  const Fd place = BJ_TRY(OpenDirectory(dir, name, O_PATH));
  const struct stat stat = BJ_TRY(StatOf(place, called));
  if ((stat.st_mode & 0700) != 0700 && ::chmod(ProcPath(place).c_str(), 0700) != 0) {
    return SysError("chmod", called, errno);
  }
  return OpenDirectory(dir, name, O_RDONLY);
}

// Returns 0 or the errno; ENOTEMPTY means a directory with content. For a directory, unlink() fails
// with EISDIR or EPERM, depending on the file system.
int RemoveSimply(const Fd& dir, const std::string& name) {
  if (::unlinkat(dir.get(), name.c_str(), 0) == 0) return 0;
  const int sys = errno;
  if (sys != EISDIR && sys != EPERM) return sys;
  if (::unlinkat(dir.get(), name.c_str(), AT_REMOVEDIR) == 0) return 0;
  return errno == ENOTDIR ? sys : errno;
}

// A directory without write permission cannot be moved, because rename changes its "..".
Result<> MoveUp(const Fd& from, const std::string& name, const Fd& to, const std::string& new_name,
                std::string_view called) {
  const Fd opened = BJ_TRY(OpenToEmpty(from, name, called));
  BJ_TRY(Check("move", called, [&] {
    return ::renameat2(from.get(), name.c_str(), to.get(), new_name.c_str(), RENAME_NOREPLACE);
  }));
  return {};
}

// Checks that a tree is not too large to be removed; unreadable parts are ignored.
class Counter : public Visitor {
 public:
  Result<Next> See(const Entry&) override { return Next::kGoOn; }
  Result<Next> Refuse(Refusal refusal) override {
    if (refusal.step != Step::kCount) return Next::kGoOn;
    return Error(Kind::kExhausted, "too much to remove at once");
  }
};

}  // namespace

Result<> RemoveWhole(const Fd& dir, const std::string& name, std::string_view called) {
  if (const int sys = RemoveSimply(dir, name); sys != ENOTEMPTY) {
    return sys == 0 ? Result<>() : SysError("remove", called, sys);
  }
  const std::string prefix = BJ_TRY(RandomId(std::string(kRemovedPrefix))) + "-";
  std::vector<std::string> pending = {name};
  std::size_t moved = 0;
  while (!pending.empty()) {
    const std::string next = std::move(pending.back());
    pending.pop_back();
    const Fd inner = BJ_TRY(OpenToEmpty(dir, next, called));
    const Names names = BJ_TRY(NamesOf(inner, SIZE_MAX, called));
    for (const std::string& each : names.names) {
      const int sys = RemoveSimply(inner, each);
      if (sys == 0) continue;
      if (sys != ENOTEMPTY) return SysError("remove from", called, sys);
      pending.push_back(prefix + std::to_string(moved++));
      BJ_TRY(MoveUp(inner, each, dir, pending.back(), called));
    }
    BJ_TRY(
        Check("remove", called, [&] { return ::unlinkat(dir.get(), next.c_str(), AT_REMOVEDIR); }));
  }
  return {};
}

Result<> RemoveBeneath(const Fd& root, const std::string& path) {
  BJ_TRY(CheckRelativePath(path));
  const Fd parent = BJ_TRY(OpenDirectory(root, std::string(ParentOf(path)), O_RDONLY));
  const std::string name(NameOf(path));
  // Only a directory has names below it.
  if (const auto dir = OpenDirectory(parent, name, O_RDONLY)) {
    Budget budget({kMostRemoved, 0});
    Counter counter;
    BJ_TRY(Walk(*dir, TakingEverything("a tree"), budget, counter));
  }
  return RemoveWhole(parent, name, path);
}

}  // namespace belljar::tree
