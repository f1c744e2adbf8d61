// An image from a root tree, such as an unpacked container or what debootstrap makes.
//
// Everything is taken but what a cell mounts over (/proc, /dev, /tmp, ...). Nothing of the tree
// is run, and its links are followed inside it, so a tree nobody has read cannot reach the host.
#pragma once

#include "cell/image/plan.h"
#include "cell/image/store.h"
#include "foundation/base/result.h"

namespace belljar::cell::image {

// `tree` is an absolute path free of links. A tree without Python, Node and bash is refused.
Result<> AddTreeImage(const Root& tree, FilePlan& plan, Image& image);

}  // namespace belljar::cell::image
