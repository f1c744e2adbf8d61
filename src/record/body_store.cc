#include "record/body_store.h"

#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>

#include <filesystem>

#include "foundation/base/sys.h"
#include "record/hash.h"

namespace belljar::record {
namespace {

constexpr std::string_view kPrefix = "sha256:";

bool IsOld(const std::string& path, std::chrono::system_clock::time_point before) {
  struct stat info {};
  if (::lstat(path.c_str(), &info) != 0) return false;
  return info.st_mtim.tv_sec < std::chrono::system_clock::to_time_t(before);
}

}  // namespace

std::string BodyDigest(std::string_view bytes) {
  return std::string(kPrefix) + Hex(Sha256::Of(bytes));
}

Result<std::string> BodyPath(std::string_view digest) {
  const std::string_view hex = digest.starts_with(kPrefix) ? digest.substr(kPrefix.size()) : "";
  if (hex.size() != 64 || hex.find_first_not_of("0123456789abcdef") != std::string_view::npos) {
    return Error(Kind::kInvalid, "a body's digest is \"sha256:\" and 64 hex digits");
  }
  return fmt::format("bodies/{}/{}", hex.substr(0, 2), hex.substr(2));
}

Result<std::optional<std::string>> ReadBody(const std::string& state_dir, std::string_view digest) {
  const std::string path = BJ_TRY(BodyPath(digest));
  auto bytes = ReadFile(state_dir + "/" + path, kMaxBodyBytes);
  if (!bytes && bytes.error().sys() == ENOENT) return std::optional<std::string>();
  std::string body = BJ_TRY(std::move(bytes));
  if (BodyDigest(body) != digest) {
    return Error(Kind::kInternal, path + " is damaged: its bytes are not those of its name");
  }
  return std::optional(std::move(body));
}

Result<std::size_t> RemoveOldBodies(const LogFiles& files, const std::string& state_dir,
                                    std::chrono::system_clock::time_point before) {
  std::size_t removed = 0;
  std::error_code error;
  const std::filesystem::path top = state_dir + "/bodies";
  for (auto it = std::filesystem::recursive_directory_iterator(top, error);
       !error && it != std::filesystem::recursive_directory_iterator(); it.increment(error)) {
    if (it->is_directory(error)) continue;
    const std::string path = it->path().native();
    if (!IsOld(path, before)) continue;
    BJ_TRY(files.Remove(path));
    ++removed;
  }
  if (error && error.value() != ENOENT) return SysError("read", top.native(), error.value());
  return removed;
}

}  // namespace belljar::record
