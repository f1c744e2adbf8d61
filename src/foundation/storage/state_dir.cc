#include "foundation/storage/state_dir.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>

#include "foundation/base/sys.h"

namespace belljar::storage {

Result<std::string> PrepareStateDir(const std::string& dir) {
  namespace fs = std::filesystem;
  if (dir.empty()) return Error(Kind::kInvalid, "the state directory needs a path");
  std::error_code ec;
  const fs::path path = (fs::absolute(dir, ec) / "").lexically_normal().parent_path();
  if (ec) return SysError("find", "the working directory", ec.value());
  fs::create_directories(path.parent_path(), ec);
  if (ec) return SysError("mkdir", path.parent_path().native(), ec.value());
  if (::mkdir(path.c_str(), 0700) != 0 && errno != EEXIST) {
    return SysError("mkdir", path.native(), errno);
  }
  struct stat info {};
  BJ_TRY(Check("stat", path.native(), [&] { return ::stat(path.c_str(), &info); }));
  if (!S_ISDIR(info.st_mode)) return Error(Kind::kInvalid, path.native() + " is not a directory");
  if (info.st_uid == ::geteuid() && (info.st_mode & 0022) == 0) return path.native();
  return Error(Kind::kDenied, path.native() +
                                  " belongs to another user or can be written by others: state is "
                                  "kept only in a directory of one's own (chmod 0700)");
}

Result<std::unique_ptr<Database>> OpenStateDatabase(const std::string& dir) {
  const std::string path = BJ_TRY(PrepareStateDir(dir));
  return Database::Open("sqlite:" + path + "/belljar.db");
}

}  // namespace belljar::storage
