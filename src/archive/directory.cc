#include "archive/directory.h"

#include <dirent.h>
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <memory>

#include "base/sys.h"

namespace belljar::archive {
namespace {

struct CloseDir {
  void operator()(DIR* dir) const { ::closedir(dir); }
};

}  // namespace

Result<std::vector<std::string>> NamesIn(const Fd& dir, const std::string& path, std::size_t most) {
  Fd opened =
      BJ_TRY(OpenBeneath(dir, path.empty() ? "." : path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW));
  const int number = opened.Release();
  const std::unique_ptr<DIR, CloseDir> stream(::fdopendir(number));
  if (!stream) {
    const int err = errno;
    ::close(number);
    return SysError("read directory", path, err);
  }
  std::vector<std::string> names;
  while (names.size() < most) {
    const dirent* const entry = ::readdir(stream.get());
    if (entry == nullptr) break;
    const std::string_view name = entry->d_name;
    if (name != "." && name != "..") names.emplace_back(name);
  }
  std::ranges::sort(names);
  return names;
}

}  // namespace belljar::archive
