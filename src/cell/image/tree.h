// Builds an image from a root tree, such as an unpacked container or the output of debootstrap.
//
// Everything is taken except the directories that a cell mounts over (/proc, /dev, /tmp, ...). No
// program of the tree is run, and its links are followed inside it, so an untrusted tree cannot
// reach the host.
#pragma once

#include "cell/image/plan.h"
#include "cell/image/store.h"
#include "foundation/base/result.h"

namespace belljar::cell::image {

// `tree` is an absolute path without symbolic links. A tree without Python, Node and bash is
// refused.
Result<> AddTreeImage(const Root& tree, FilePlan& plan, Image& image);

}  // namespace belljar::cell::image
