// Content: copies the bytes of an artefact into the store, or reads them there, and hashes them.
//
// A file is named by the SHA-256 of its bytes, as sha256sum prints it. A tree is named by the
// SHA-256 of a listing of names, sizes, digests of files and targets of links; docs/artefacts.md
// has its format. Modes, owners and times are not included, because all files in the store have the
// same.
//
// Trees are copied by tree/copy.h. They may contain files, directories and links that stay within
// the tree; setuid and setgid files are refused.
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

// The rules and bounds for trees.
const tree::Rules& TreeRules();
tree::Bounds TreeBounds();

enum class Shape { kFile, kTree };
std::string_view ShapeName(Shape shape);  // "file", "tree"

struct Content {
  Shape shape = Shape::kFile;
  std::string digest;       // "sha256:…"
  std::uint64_t files = 0;  // regular files only
  std::uint64_t bytes = 0;
};

// Called at intervals with the amount read so far.
struct Progress {
  std::uint64_t files = 0;
  std::uint64_t bytes = 0;
};
using OnProgress = std::function<void(const Progress&)>;

// The name of the copy in the object's directory.
inline constexpr const char* kContent = "content";

// Copies `source` (any descriptor of a file or a directory) to DIR/content: files with mode 0444,
// directories 0555, and links that stay within. `called` names the source in errors.
Result<Content> CopyContent(const Fd& source, const std::string& called, const Fd& dir,
                            const OnProgress& on_progress);

// The same for bytes from another source, such as an upload; `read` returns 0 at their end.
using ReadPiece = std::function<Result<std::size_t>(std::span<char>)>;
Result<Content> WriteContent(const ReadPiece& read, const Fd& dir, const OnProgress& on_progress);

// Reads DIR/content and returns its present digest and size.
Result<Content> ReadContent(const Fd& dir, const OnProgress& on_progress);

}  // namespace belljar::resource::artefact
