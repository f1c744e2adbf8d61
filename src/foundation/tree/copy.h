// Copy: copies files and whole trees, and hashes their content on the way.
//
// The bytes that are written are the bytes that were hashed. A copy never shares an inode with its
// source, because files that share an inode share its page cache. A file that changes while it is
// read is an error, and so is one that has more bytes than its size says (it grows, or the kernel
// generates it): at most one byte beyond the size is read.
#pragma once

#include <sys/stat.h>
#include <sys/types.h>

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "foundation/base/fd.h"
#include "foundation/base/result.h"
#include "foundation/base/sha256.h"
#include "foundation/tree/walk.h"

namespace belljar::tree {

// Receives bytes in pieces.
using Sink = std::function<Result<>(std::string_view)>;

// A piece of a file that is not a hole.
struct Extent {
  std::uint64_t offset = 0;
  std::uint64_t bytes = 0;
  bool operator==(const Extent&) const = default;
};

// The first data extent of an open file at or after `from`; nullopt if only a hole is left. On file
// systems without holes, the whole file is data.
Result<std::optional<Extent>> NextData(const Fd& file, std::uint64_t from, std::string_view called);

// Passes the bytes of an extent to `sink` and returns their number; it is smaller if the file ends.
Result<std::uint64_t> ReadBytes(const Fd& file, Extent extent, std::string_view called,
                                const Sink& sink);

// Makes `to`, an empty file, equal to `from`: by cloning extents if the file system supports it,
// else by a copy that keeps holes.
bool Clone(const Fd& from, const Fd& to);
Result<> CloneOrCopy(const Fd& from, const Fd& to, std::string_view called);

struct Content {
  std::uint64_t bytes = 0;
  Digest digest{};
};

// Called with the number of bytes that have been read since the last call.
using OnBytes = std::function<Result<>(std::uint64_t)>;

enum class Cloning { kTried, kNever };

// Reads an open regular file from its beginning and copies it to `to` unless that is null. A cloned
// file is hashed by reading the clone.
Result<Content> CopyFile(const Fd& from, const Fd* to, const std::string& path,
                         Cloning cloning = Cloning::kNever, const OnBytes& on_bytes = {});

// How the copy of a tree is made.
struct CopyStyle {
  Rules rules;
  // nullopt: permission bits are kept
  std::optional<mode_t> file_mode{};
  std::optional<mode_t> directory_mode{};
  Take times = Take::kYes;       // modification times
  std::optional<uid_t> owner{};  // chown to this user and its group, if this process is root
  Cloning cloning = Cloning::kNever;
};

// An entry of a tree whose content has been read.
struct Node {
  struct stat status {};
  Content content;     // of a file
  std::string target;  // of a link
};

// Callbacks for each entry of a tree that is read, and for progress in large files.
struct Listener {
  std::function<Result<>(const std::string& path, Node node)> on_node{};
  // Called before a link is created; absent: any link is allowed.
  std::function<Result<>(const std::string& path, const std::string& target)> check_link{};
  OnBytes on_bytes{};
};

// Copies the content of `from` into `to`, which is empty. Each file gets a new inode.
Result<> CopyTree(const Fd& from, const Fd& to, const CopyStyle& style, Budget& budget,
                  const Listener& listener);
// Reads the content of `from` for its digests.
Result<> ReadTree(const Fd& from, const Rules& rules, Budget& budget, const Listener& listener);

}  // namespace belljar::tree
