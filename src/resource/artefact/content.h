// Content: the bytes of an artefact, hashed as they are copied into the store or read in it.
//
// A file is named by the SHA-256 of its bytes, as sha256sum prints it. A tree is named by that of a
// listing, which docs/artefacts.md has the bytes of: names, sizes, digests of files, targets of
// links. Modes, owners and times are no part of it: in the store all files are alike.
//
// Trees are copied by tree/copy.h: files, directories and links that stay within, none setuid or
// setgid.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>

#include "foundation/base/fd.h"
#include "foundation/base/result.h"
#include "foundation/tree/walk.h"

namespace belljar::resource::artefact {

// What a tree may have, and how much of it.
const tree::Rules& TreeRules();
tree::Bounds TreeBounds();

enum class Shape { kFile, kTree };
std::string_view ShapeName(Shape shape);  // "file", "tree"

struct Content {
  Shape shape = Shape::kFile;
  std::string digest;       // "sha256:…"
  std::uint64_t files = 0;  // regular ones
  std::uint64_t bytes = 0;
};

// Called now and then with what has been read so far.
struct Progress {
  std::uint64_t files = 0;
  std::uint64_t bytes = 0;
};
using OnProgress = std::function<void(const Progress&)>;

// The name of the copy in its directory, in the store.
inline constexpr const char* kContent = "content";

// Copies what `source` stands for (any descriptor of a file or a directory) to DIR/content: files
// 0444, directories 0555, links that stay within. `called`: the source, in a sentence.
Result<Content> CopyContent(const Fd& source, const std::string& called, const Fd& dir,
                            const OnProgress& on_progress);

// The same for bytes that come from elsewhere; `read` gives 0 at their end.
using ReadPiece = std::function<Result<std::size_t>(std::span<char>)>;
Result<Content> WriteContent(const ReadPiece& read, const Fd& dir, const OnProgress& on_progress);

// What DIR/content is by its bytes now.
Result<Content> ReadContent(const Fd& dir, const OnProgress& on_progress);

}  // namespace belljar::resource::artefact
