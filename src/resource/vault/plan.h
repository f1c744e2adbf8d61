// Plan: the steps of a commit to a host directory, computed by comparing two trees.
//
// Pure: trees in, steps out. The steps are ordered so that each can be repeated after a crash
// without undoing a later one: removed names, removed directories, new directories, and then each
// new content by one rename.
#pragma once

#include <string>
#include <vector>

#include "foundation/base/result.h"
#include "resource/vault/snapshot.h"

namespace belljar::resource::vault {

// Paths from the vault's root, sorted; those of directories end in a slash.
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

// Only one bit of a file's mode is carried back: whether the owner may execute it. Modes of
// directories are not changed.
Plan Compare(const Tree& before, const Tree& after);

// A link made by a program must lead to a place in the vault, whatever other links exist: it must
// be relative, with ".." only at its beginning and at most as often as the link is deep.
Result<> CheckLinks(const Plan& plan, const Tree& after);

inline bool IsExecutable(const Node& node) { return (node.mode & 0100) != 0; }

// The directory where the new content of `path` is staged until the commit: the nearest parent that
// exists before and after it.
std::string WaitingPlace(const Tree& before, const Tree& after, const std::string& path);

}  // namespace belljar::resource::vault
