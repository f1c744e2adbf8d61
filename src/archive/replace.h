// Writing into a workspace whose program may be running and hostile: a name is never written
// through, it is taken away and made anew in the directory that the kernel led us to.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>
#include <string_view>

#include "base/fd.h"
#include "base/result.h"

namespace belljar::archive {

struct Replacement {
  std::string path;  // checked by policy::ValidateWorkspacePath
  std::uint32_t uid = 0;
  mode_t mode = 0644;
};

// An empty file at the place, open for writing; directories on the way are made.
Result<Fd> ReplaceFile(const Fd& workspace, const Replacement& to);
Result<> MakeOwnedDirs(const Fd& workspace, const std::string& path, std::uint32_t uid);

// The file of an API call, whole.
Result<> WriteFileBeneath(const Fd& workspace, const Replacement& to, std::string_view bytes);

// Removes a file, a link or a whole directory. At most `kMostRemoved` names; not found is an error.
constexpr std::size_t kMostRemoved = 100'000;
Result<> RemoveBeneath(const Fd& workspace, const std::string& path);

}  // namespace belljar::archive
