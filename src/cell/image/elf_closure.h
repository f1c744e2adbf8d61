// Finds the shared libraries that programs and extension modules need, transitively.
//
// Follows the loader's order: DT_RPATH of the file and of the files that loaded it (unless it has a
// DT_RUNPATH), DT_RUNPATH, the cache, the default directories; $ORIGIN is the directory of the
// file. LD_LIBRARY_PATH is ignored, because a cell does not have it. A candidate counts if it is a
// library for the same machine. The loaders of programs are included.
#pragma once

#include <string>
#include <vector>

#include "cell/image/paths.h"

namespace belljar::cell::image {

struct Library {
  std::string name;  // as needed: "libz.so.1"
  std::string path;  // inside `root`, as the loader would open it; may contain links
  enum class Found { kByFile, kBySearch } found;  // kByFile: by an rpath of the file that needs it
};

struct MissingLibrary {
  std::string name;
  std::string needed_by;  // path inside `root`
};

struct Closure {
  std::vector<Library> libraries;
  std::vector<MissingLibrary> missing;
};

// `files` are paths inside `root`; files that are not ELF need nothing.
Closure FindLibraries(const Root& root, const std::vector<std::string>& files);

}  // namespace belljar::cell::image
