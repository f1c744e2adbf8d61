// Manifest: everything that a snapshot stores about a tree except the contents of files, which are
// blobs. docs/checkpoint-store.md describes the format.
//
// Names and link targets are bytes, not text: a guest may use any but '/' and NUL. Entries are in
// an order in which they can be created: a directory before its content, the first name of a file
// before its other hard links. Equal trees give equal bytes, so the digest of the bytes identifies
// the tree.
//
// Decode() checks everything: a manifest that was damaged on disk must not name a path outside.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "foundation/base/result.h"
#include "foundation/base/sha256.h"
#include "foundation/tree/copy.h"
#include "run/snapshot/bounds.h"

namespace belljar::run::snapshot {

enum class Type : std::uint8_t {
  kDirectory = 1,
  kFile = 2,
  kSymlink = 3,
  kLink = 4,   // a hard link to an earlier entry
  kOther = 9,  // a socket, a FIFO, a device: found in a tree, never carried
};

using tree::Extent;

struct Attribute {
  std::string name;  // "user.…"
  std::string value;
  bool operator==(const Attribute&) const = default;
};

struct Moment {
  std::int64_t seconds = 0;
  std::uint32_t nanoseconds = 0;
  bool operator==(const Moment&) const = default;
};

struct Entry {
  Type type = Type::kOther;
  std::string path;        // from the root of the workspace, which is ""
  std::uint32_t mode = 0;  // permissions; never setuid or setgid
  Moment modified;
  std::uint64_t size = 0;       // of a file, with its holes
  Digest digest{};              // of a file's data, all extents in order
  std::vector<Extent> extents;  // ascending; a file without data has no blob
  std::string target;           // target of a symbolic link; for kLink, path of the first name
  std::vector<Attribute> attributes;
  bool operator==(const Entry&) const = default;
};

std::string Encode(const std::vector<Entry>& entries);
Result<std::vector<Entry>> Decode(std::string_view bytes, const Bounds& bounds);

// The form of a path in errors: "workspace/a\x0ab", printable and of limited length.
std::string Named(std::string_view path);

}  // namespace belljar::run::snapshot
