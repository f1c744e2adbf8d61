// Snapshot: a private copy of a host directory, and the list of the copied entries.
//
// A cell never gets the host's inodes: two users of an inode share its page cache, so a kernel bug
// that lets a cell write there would change the host's file (docs/threat-model.md). The supervisor
// keeps the list; after the run, the cell's copy and the host are compared with it.
#pragma once

#include <sys/stat.h>
#include <sys/types.h>

#include <cstdint>
#include <map>
#include <string>

#include "foundation/base/fd.h"
#include "foundation/base/result.h"
#include "foundation/base/sha256.h"
#include "foundation/tree/walk.h"

namespace belljar::resource::vault {

enum class NodeKind { kFile, kDirectory, kLink };

struct Node {
  NodeKind kind = NodeKind::kFile;
  mode_t mode = 0;  // permission bits
  std::uint64_t size = 0;
  Digest digest{};     // of a file
  std::string target;  // of a link
};

// Entries by path from the root; the root itself is not listed. A directory comes before its
// content.
using Tree = std::map<std::string, Node>;

// The bounds for all vaults of a run together: files, directories and links, and bytes in whole
// pages, as tmpfs counts them.
tree::Budget WholeBudget();

// Copies the content of `host` to `staged`, an empty directory; the copies belong to `owner`.
// Modification times are kept. Hard links become separate files; setuid, setgid and sticky bits are
// dropped.
Result<Tree> CopyIn(const Fd& host, const Fd& staged, std::uint32_t owner, tree::Budget& budget);

// Makes the same list for an existing tree. No process may be writing to it.
Result<Tree> ReadTree(const Fd& root, tree::Budget& budget);

}  // namespace belljar::resource::vault
