// Manifest: everything a snapshot knows of a tree, but for the contents of its files, which are
// blobs. docs/checkpoint-store.md has the bytes.
//
// Names and link texts are bytes, not text: a guest may use any but '/' and NUL. Entries stand in
// the order in which they can be made: a directory before what is in it, the first name of a file
// before its other names. Equal trees give equal bytes, so the digest of the bytes names the tree.
//
// Decode() trusts nothing: a manifest that was damaged on disk must not name a place outside.
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
  kLink = 4,   // another name of an entry that came before
  kOther = 9,  // a socket, a FIFO, a device: met in a tree, never carried
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
  std::string path;        // from the root of the workspace, which itself is ""
  std::uint32_t mode = 0;  // permissions; never setuid or setgid
  Moment modified;
  std::uint64_t size = 0;       // of a file, with its holes
  Digest digest{};              // of a file's data, piece after piece
  std::vector<Extent> extents;  // ascending; a file without data has no blob
  std::string target;           // text of a symbolic link; path of a link's first name
  std::vector<Attribute> attributes;
  bool operator==(const Entry&) const = default;
};

std::string Encode(const std::vector<Entry>& entries);
Result<std::vector<Entry>> Decode(std::string_view bytes, const Bounds& bounds);

// How an error names a place: "workspace/a\x0ab", printable and not too long.
std::string Named(std::string_view path);

}  // namespace belljar::run::snapshot
