// Writes files into a workspace whose program may be running and hostile: an existing name is never
// written through; a new file is made and renamed over it, in a directory opened by descriptor.
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

// Files on their way into a workspace: they are written to a staging directory, then moved to their
// places together. If one does not fit, or its place is a directory, everything stays as it was.
// Only a program that interferes during the moves can cause some files to be in place and others
// not. Files that were not moved are removed with this object.
class Staged {
 public:
  static Result<Staged> Begin(const Fd& workspace);
  Staged(Staged&& other) noexcept = default;
  Staged& operator=(Staged&&) = delete;
  ~Staged();

  // A new file, open for writing; Place() replaces an existing file.
  Result<Fd> Add(Replacement to);
  void AddDirectory(Replacement to);
  Result<> Place();

 private:
  struct File {
    Replacement to;
    std::string name;  // in the staging directory
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

// Creates the missing directories of `path`, the last component included; they belong to `uid`.
Result<> MakeOwnedDirs(const Fd& workspace, const std::string& path, std::uint32_t uid);

// Writes one file with all its content.
Result<> WriteFileBeneath(const Fd& workspace, const Replacement& to, std::string_view bytes);

}  // namespace belljar::tree
