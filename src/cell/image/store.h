// ImageStore: the read-only file trees that cells start from.
//
// An image is a private copy of files, with inodes of its own: a kernel bug that writes to the
// page cache of a file a cell may only read then reaches the copy and never the host's /usr. No
// file in it is setuid, setgid, a device, or carries capabilities. The default image is copied
// from the host's installed Python, bash, coreutils and Node on first use, and again when those or
// the recipe have changed (origin.h); others are copied from a root tree or lay a virtualenv over
// the default image, and stay as they are until they are built anew.
//
// On disk: DIR/NAME/{rootfs/, image.json}. An image is built in DIR/.NAME.PID and renamed into
// place, so a half-built one is never found; the next build removes what an ended process left.
// DIR/.lock is held (flock) while an image is built or removed, so builds follow one another, also
// those of several processes.
//
// Building a name anew, or removing it, works at once, whoever uses the image. Those who hold the
// old tree (Hold) go on with it: it is out of sight, under a name like that of a build, and is
// deleted by the first build or removal after the last of them has ended.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "foundation/base/fd.h"
#include "foundation/base/result.h"

namespace belljar::cell::image {

struct Image {
  std::string name;
  std::string rootfs;                     // host path of the tree
  std::string source;                     // "host", "tree DIR", "venv DIR"
  std::string origin;                     // of source "host": what it was made of (origin.h)
  std::string python;                     // path inside the image, "" if it has none
  std::string python_version;             // "3.11.2"
  std::vector<std::string> python_paths;  // sys.path of a cell, in order
  std::string node;
  std::string node_version;
  std::string bash;
  std::vector<std::string> preimport;  // modules imported in the zygote
  std::uint64_t files = 0;
  std::uint64_t bytes = 0;
  std::string created;  // RFC 3339, UTC
};

// Called during a build with what has been copied so far; drives the progress line.
struct Progress {
  std::string_view stage;  // "finding files", "copying", "checking" …
  std::uint64_t files = 0;
  std::uint64_t bytes = 0;
  std::uint64_t total_files = 0;  // 0 while unknown
  bool is_last = false;           // nothing more comes, of any stage
};
using OnProgress = std::function<void(const Progress&)>;

// Makes something of an image's tree that needs its path no more.
using OpenTree = std::function<Result<>(const Image&)>;

class ImageStore {
 public:
  // `dir`, and the state directory it lies in, are created (0700) where they are missing. `dir` is
  // refused if another user could write to it.
  static Result<ImageStore> Open(std::string dir);

  Result<Image> Find(std::string_view name) const;  // kNotFound names the ones that exist
  Result<std::vector<Image>> List() const;
  Result<> Remove(std::string_view name);

  // Opens an image's tree, which then stays, also replaced or removed, while the descriptor that
  // is returned is open. `open` is called once more when the name was given to another tree
  // meanwhile: nobody could tell which of the two it has opened.
  Result<Fd> Hold(std::string_view name, const OpenTree& open) const;

  // One that another process has made from the same source while this one waited for its turn is
  // taken as it is: two first uses at once give one image.
  Result<Image> BuildDefault(std::vector<std::string> preimport, const OnProgress& on_progress);
  // The default image as it would be built today: one that is missing, damaged, or was copied from
  // other packages or by another recipe is built, with the modules the old one preimports. One
  // that the caller has built from a tree or a virtualenv is the caller's to build again.
  Result<Image> FreshDefault(const OnProgress& on_progress);
  Result<Image> BuildFromTree(std::string_view name, const std::string& tree,
                              std::vector<std::string> preimport, const OnProgress& on_progress);
  Result<Image> BuildFromVenv(std::string_view name, const std::string& venv,
                              std::vector<std::string> preimport, const OnProgress& on_progress);

 private:
  explicit ImageStore(std::string dir) : dir_(std::move(dir)) {}

  std::string dir_;
};

// The name BuildDefault gives.
inline constexpr std::string_view kDefaultImage = "default";

// Letters, digits, '.', '_' and '-', not starting with '.', at most 64.
Result<> ValidateImageName(std::string_view name);

// A module to import: identifiers joined by dots, such as "os.path".
Result<> ValidateModuleName(std::string_view module);

}  // namespace belljar::cell::image
