// The shared libraries that a set of programs and extension modules needs, and theirs in turn.
//
// Follows the loader's order: DT_RPATH of the file and of those that loaded it (unless it has a
// DT_RUNPATH), DT_RUNPATH, the cache, the default directories; $ORIGIN is the directory of the
// file. LD_LIBRARY_PATH is not looked at: a cell does not have it. A candidate counts when it is
// a library for the same machine. The loaders of programs are among the libraries.
#pragma once

#include <string>
#include <vector>

#include "cell/image/paths.h"

namespace belljar::cell::image {

struct Library {
  std::string name;  // as needed: "libz.so.1"
  std::string path;  // inside `root`, as the loader would open it; may lead over links
  enum class Found { kByFile, kBySearch } found;  // kByFile: its needer says where it lies
};

struct MissingLibrary {
  std::string name;
  std::string needed_by;  // path inside `root`
};

struct Closure {
  std::vector<Library> libraries;
  std::vector<MissingLibrary> missing;
};

// `files` are paths inside `root`; those that are no ELF files need nothing.
Closure FindLibraries(const Root& root, const std::vector<std::string>& files);

}  // namespace belljar::cell::image
