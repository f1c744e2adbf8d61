// Writing into a workspace whose program may be running and hostile: a name is never written
// through, it is made anew in the directory that the kernel led us to.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "foundation/base/fd.h"
#include "foundation/base/result.h"

namespace belljar::tree {

struct Replacement {
  std::string path;  // checked by CheckRelativePath()
  std::uint32_t uid = 0;
  mode_t mode = 0644;
};

// Files on their way into a workspace: written into a directory aside, then put into their places
// together. What does not fit, or finds a directory where it should be, leaves everything as it
// was; only a program that works against us while they are put there can have some of them there
// and others not. What is not put there is removed with this object.
class Staged {
 public:
  static Result<Staged> Begin(const Fd& workspace);
  Staged(Staged&& other) noexcept = default;
  Staged& operator=(Staged&&) = delete;
  ~Staged();

  // A new file, open for writing; where there is one already it will be replaced.
  Result<Fd> Add(Replacement to);
  void AddDirectory(Replacement to);
  Result<> Place();

 private:
  struct File {
    Replacement to;
    std::string name;  // in the directory aside
  };
  Staged(Fd workspace, Fd aside, std::string name)
      : workspace_(std::move(workspace)), aside_(std::move(aside)), name_(std::move(name)) {}
  Result<> PlaceOne(File& file);

  Fd workspace_;
  Fd aside_;
  std::string name_;
  std::vector<File> files_;
  std::vector<Replacement> directories_;
};

// Makes those directories of `path`, all the way, that are not there yet; they belong to `uid`.
Result<> MakeOwnedDirs(const Fd& workspace, const std::string& path, std::uint32_t uid);

// One file, whole.
Result<> WriteFileBeneath(const Fd& workspace, const Replacement& to, std::string_view bytes);

}  // namespace belljar::tree
