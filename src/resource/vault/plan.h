// Plan: what a commit has to do to a host directory, found by comparing two lists.
//
// Pure: trees in, steps out. The order is one in which each step can be repeated after a crash
// without undoing a later one: names that go, directories that go, directories that come, and then
// each new content by one rename.
#pragma once

#include <string>
#include <vector>

#include "foundation/base/result.h"
#include "resource/vault/snapshot.h"

namespace belljar::resource::vault {

// Paths from the vault's root, sorted; a directory's ends in a slash.
struct Changes {
  std::vector<std::string> created;
  std::vector<std::string> changed;
  std::vector<std::string> deleted;
  bool empty() const { return created.empty() && changed.empty() && deleted.empty(); }
};

struct Plan {
  std::vector<std::string> remove;       // files and links, deepest first
  std::vector<std::string> remove_dirs;  // deepest first
  std::vector<std::string> make_dirs;    // outermost first
  std::vector<std::string> place;        // files and links with new content
  Changes changes;
  bool empty() const { return changes.empty(); }
};

// Of a mode only one bit is carried back: whether the owner may execute the file. Modes of
// directories are left alone.
Plan Compare(const Tree& before, const Tree& after);

// A link that a program has made must lead to a place in the vault, whatever else is a link there:
// relative, with ".." only at its beginning, and no more of them than it lies deep.
Result<> CheckLinks(const Plan& plan, const Tree& after);

inline bool IsExecutable(const Node& node) { return (node.mode & 0100) != 0; }

// Where the new content of `path` waits: the nearest directory above it that was there before and
// stays.
std::string WaitingPlace(const Tree& before, const Tree& after, const std::string& path);

}  // namespace belljar::resource::vault
