// Walk: every name below a directory, reached by descriptors, in bounded number.
//
// Neither the tree that an artefact is made of nor the one in the store is taken at its word: no
// link is followed, no mount point is crossed, and names that a listing could not hold are refused.
#pragma once

#include <sys/stat.h>

#include <cstdint>
#include <functional>
#include <string>

#include "base/fd.h"
#include "base/result.h"

namespace belljar::artefact {

constexpr std::size_t kMaxEntries = 100'000;                 // files, directories and links
constexpr std::uint64_t kMaxBytes = std::uint64_t{1} << 40;  // of all files together

struct Place {
  const Fd& dir;     // that holds it
  std::string name;  // in it
  std::string path;  // from the root of the walk
  struct stat status {};
};

// Calls `visit` for each, a directory before what is in it, always in the same order. Another kind
// than a file, a directory or a link is an error that names it, and so is a file that is setuid or
// setgid.
using Visit = std::function<Result<>(const Place&)>;
Result<> Walk(const Fd& root, const Visit& visit, std::size_t most = kMaxEntries);

// Files, directories and links, nothing else.
Result<> CheckKind(const struct stat& status, const std::string& path);

// The target of a link, if it stays in the tree: relative, with ".." only at its beginning and not
// more of them than the link lies deep.
Result<std::string> LinkWithin(const Place& place);

}  // namespace belljar::artefact
