// Copy: the content of files, hashed as it passes by, and copies of whole trees.
//
// The bytes that are written are those that were hashed, and a copy never shares an inode with its
// source: files that share an inode share its page cache. A file that changes while it is
// read is an error, and so is one that has more bytes than it says (what grows while it is read, or
// is made up by the kernel): at most one byte beyond its size is asked for.
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

// Where bytes go, piece after piece.
using Sink = std::function<Result<>(std::string_view)>;

// A piece of a file that is not a hole.
struct Extent {
  std::uint64_t offset = 0;
  std::uint64_t bytes = 0;
  bool operator==(const Extent&) const = default;
};

// The first data of an open file at or after `from`; nothing: only a hole is left. Where the file
// system knows of no holes, all is data.
Result<std::optional<Extent>> NextData(const Fd& file, std::uint64_t from, std::string_view called);

// Gives the bytes of an extent to `sink`, and says how many there were: fewer if the file ends.
Result<std::uint64_t> ReadBytes(const Fd& file, Extent extent, std::string_view called,
                                const Sink& sink);

// Makes `to`, which is empty, equal to `from`: a clone of its extents where the file system has
// that, else a copy in which holes stay holes.
bool Clone(const Fd& from, const Fd& to);
Result<> CloneOrCopy(const Fd& from, const Fd& to, std::string_view called);

struct Content {
  std::uint64_t bytes = 0;
  Digest digest{};
};

// Called with the number of bytes that have been read since the last call.
using OnBytes = std::function<Result<>(std::uint64_t)>;

enum class Cloning { kTried, kNever };

// Reads an open regular file from its beginning, into `to` unless that is null. A clone is hashed
// by what it holds.
Result<Content> CopyFile(const Fd& from, const Fd* to, const std::string& path,
                         Cloning cloning = Cloning::kNever, const OnBytes& on_bytes = {});

// How the copy of a tree is made.
struct CopyStyle {
  Rules rules;
  // Absent: permission bits are kept.
  std::optional<mode_t> file_mode{};
  std::optional<mode_t> directory_mode{};
  Take times = Take::kYes;       // of the last change
  std::optional<uid_t> owner{};  // given to this user and its group, if this process is root
  Cloning cloning = Cloning::kNever;
};

// An entry of a tree whose content has been read.
struct Node {
  struct stat status {};
  Content content;     // of a file
  std::string target;  // of a link
};

// Hears of each entry of a tree that is read; also while large files are.
struct Listener {
  std::function<Result<>(const std::string& path, Node node)> on_node{};
  // Before a link is made; absent: any link is.
  std::function<Result<>(const std::string& path, const std::string& target)> check_link{};
  OnBytes on_bytes{};
};

// Copies all below `from` into `to`, which is empty. Each file is an inode of its own.
Result<> CopyTree(const Fd& from, const Fd& to, const CopyStyle& style, Budget& budget,
                  const Listener& listener);
// Reads all below `from`, for its digests.
Result<> ReadTree(const Fd& from, const Rules& rules, Budget& budget, const Listener& listener);

}  // namespace belljar::tree
