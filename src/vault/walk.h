// Walk: every name below a directory, reached by descriptors.
//
// The host's tree may change while it is walked, and the names of a staged one were chosen by a
// hostile program. So nothing is opened by path from outside, no link is followed, no mount point
// is crossed, and number, depth and spelling of the names are bounded. A name that breaks a bound
// ends the walk with an error that says which: what cannot be carried whole is not carried.
#pragma once

#include <sys/stat.h>

#include <cstdint>
#include <functional>
#include <string>

#include "base/fd.h"
#include "base/result.h"

namespace belljar::vault {

// What all vaults of a run may hold together; a walk takes from it.
struct Budget {
  std::size_t files;
  std::uint64_t bytes;

  static Budget Whole();
  Result<> TakeFile();
  // In whole pages, as a tmpfs counts.
  Result<> TakeBytes(std::uint64_t size);
};

struct Entry {
  const Fd& dir;     // that holds it
  std::string name;  // in it
  std::string path;  // from the root of the walk
  struct stat status {};
};

// Calls `visit` for each entry, a directory before what is in it, in the order of names within
// each. Only regular files, directories and links: another kind is an error.
using Visit = std::function<Result<>(const Entry&)>;
Result<> Walk(const Fd& root, Budget& budget, const Visit& visit);

// What comes before the last slash ("" if there is none), and after it.
std::string ParentOf(const std::string& path);
std::string NameOf(const std::string& path);

// The names in a directory, sorted; more than `most` are an error.
Result<std::vector<std::string>> NamesOf(const Fd& dir, std::size_t most);

// The target of the link `name` in `dir`.
Result<std::string> ReadLink(const Fd& dir, const std::string& name);

}  // namespace belljar::vault
