// Snapshot: a private copy of a host directory, and the list of what was copied.
//
// A cell never gets the host's inodes: whoever shares an inode shares its page cache, and what has
// been written there by a trick is seen by the host (docs/threat-model.md). The list is kept by the
// supervisor; after the run it is what the staged tree and the host are compared with.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <map>
#include <string>

#include "base/fd.h"
#include "base/result.h"
#include "base/sha256.h"
#include "vault/walk.h"

namespace belljar::vault {

enum class NodeKind { kFile, kDirectory, kLink };

// What tells a file of the host from another of the same name without reading it.
struct Mark {
  dev_t device = 0;
  ino_t inode = 0;
  std::uint64_t size = 0;
  std::int64_t modified_ns = 0;
  std::int64_t changed_ns = 0;
  bool operator==(const Mark&) const = default;
};
Mark MarkOf(const struct stat& status);

struct Node {
  NodeKind kind = NodeKind::kFile;
  mode_t mode = 0;  // permission bits
  std::uint64_t size = 0;
  Digest digest{};     // of a file
  std::string target;  // of a link
  Mark mark;
};

// By path from the root, which is not in it. A directory comes before what it holds.
using Tree = std::map<std::string, Node>;

// Copies everything below `host` to `staged`, an empty directory, where all of it belongs to
// `owner`. Times of modification are kept. Hard links become files of their own; setuid, setgid and
// sticky bits are dropped.
Result<Tree> CopyIn(const Fd& host, const Fd& staged, std::uint32_t owner, Budget& budget);

// The same list of a tree that is there already. Nobody may be writing to it.
Result<Tree> ReadTree(const Fd& root, Budget& budget);

// Reads the open file `from` to its end, into `to` if that is a descriptor.
Result<Digest> Copy(const Fd& from, const Fd* to, const std::string& path);

// Opens a regular file below `dir` for reading.
Result<Fd> OpenFile(const Fd& dir, const std::string& path);

}  // namespace belljar::vault
