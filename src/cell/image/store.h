// ImageStore: the read-only file trees that cells start from.
//
// An image is a private copy of files with inodes of its own. If a kernel bug lets a cell write to
// the page cache of a file that it may only read, the write reaches the copy and never the host's
// /usr. No file in an image is setuid, setgid or a device, or carries capabilities. The default
// image is copied from the host's installed Python, bash, coreutils and Node on first use, and
// again when those or the recipe have changed (origin.h). Other images are copied from a root tree,
// or combine a virtualenv with the default image; they change only when they are built again.
//
// On disk: DIR/NAME/{rootfs/, image.json}. An image is built in DIR/.NAME.PID and renamed into
// place, so a half-built one is never visible; the next build removes what an ended process has
// left. An image is built or removed under an flock of DIR/.lock, so builds are serialised, also
// those of several processes.
//
// Rebuilding or removing an image takes effect at once, even while the image is in use. Holders of
// the old tree (Hold) keep using it: it is renamed to a hidden name like that of a build, and the
// first build or removal after its last holder has ended deletes it.
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
  std::string rootfs;          // host path of the tree
  std::string source;          // "host", "tree DIR", "venv DIR"
  std::string origin;          // of source "host": fingerprint of what it was made of (origin.h)
  std::string python;          // path inside the image, "" if it has none
  std::string python_version;  // "3.11.2"
  std::vector<std::string> python_paths;  // sys.path of a cell, in order
  std::string node;
  std::string node_version;
  std::string bash;
  std::vector<std::string> preimport;  // modules imported in the zygote
  std::uint64_t files = 0;
  std::uint64_t bytes = 0;
  std::string created;  // RFC 3339, UTC
};

// Called during a build with the amount copied so far; drives the progress line.
struct Progress {
  std::string_view stage;  // "finding files", "copying", "checking" …
  std::uint64_t files = 0;
  std::uint64_t bytes = 0;
  std::uint64_t total_files = 0;  // 0 while unknown
  bool is_last = false;           // last call, for all stages
};
using OnProgress = std::function<void(const Progress&)>;

// Opens or imports an image's tree; the path is not needed afterwards.
using OpenTree = std::function<Result<>(const Image&)>;

class ImageStore {
 public:
  // Creates `dir` and its parent, the state directory, with mode 0700 if they are missing. Refuses
  // `dir` if another user could write to it.
  static Result<ImageStore> Open(std::string dir);

  // the message of kNotFound lists the existing images
  Result<Image> Find(std::string_view name) const;
  Result<std::vector<Image>> List() const;
  Result<> Remove(std::string_view name);

  // Opens an image's tree and keeps it on disk while the returned descriptor is open, even if the
  // image is replaced or removed. If the name was given to another tree during the call, `open` is
  // called again, because it is unknown which of the two trees it opened.
  Result<Fd> Hold(std::string_view name, const OpenTree& open) const;

  // If another process has built an image from the same source while this one waited for the lock,
  // that image is used: two simultaneous first uses build one image.
  Result<Image> BuildDefault(std::vector<std::string> preimport, const OnProgress& on_progress);
  // The default image as it would be built today. It is built if it is missing, damaged, or copied
  // from other packages or by another recipe, with the preimported modules of the old one. A
  // default image that was built from a tree or a virtualenv is never rebuilt automatically.
  Result<Image> FreshDefault(const OnProgress& on_progress);
  Result<Image> BuildFromTree(std::string_view name, const std::string& tree,
                              std::vector<std::string> preimport, const OnProgress& on_progress);
  Result<Image> BuildFromVenv(std::string_view name, const std::string& venv,
                              std::vector<std::string> preimport, const OnProgress& on_progress);

 private:
  explicit ImageStore(std::string dir) : dir_(std::move(dir)) {}

  std::string dir_;
};

// The name of the image that BuildDefault() builds.
inline constexpr std::string_view kDefaultImage = "default";

// Letters, digits, '.', '_' and '-', not starting with '.', at most 64.
Result<> ValidateImageName(std::string_view name);

// A module to import: identifiers joined by dots, such as "os.path".
Result<> ValidateModuleName(std::string_view module);

}  // namespace belljar::cell::image
