// Snapshot: a private copy of a host directory, and the list of what was copied.
//
// A cell never gets the host's inodes: whoever shares an inode shares its page cache, and what has
// been written there by a trick is seen by the host (docs/threat-model.md). The list is kept by the
// supervisor; after the run it is what the staged tree and the host are compared with.
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

// By path from the root, which is not in it. A directory comes before what it holds.
using Tree = std::map<std::string, Node>;

// What all vaults of a run may hold together: files, directories and links, and bytes in whole
// pages, as a tmpfs counts.
tree::Budget WholeBudget();

// Copies everything below `host` to `staged`, an empty directory, where all of it belongs to
// `owner`. Times of modification are kept. Hard links become files of their own; setuid, setgid and
// sticky bits are dropped.
Result<Tree> CopyIn(const Fd& host, const Fd& staged, std::uint32_t owner, tree::Budget& budget);

// The same list of a tree that is there already. Nobody may be writing to it.
Result<Tree> ReadTree(const Fd& root, tree::Budget& budget);

}  // namespace belljar::resource::vault
