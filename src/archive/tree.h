// A file tree of our own as tar, exactly as it lies there: for whoever takes whole roots.
//
// Unlike a workspace (tar.h) nobody hostile has written it. Links stay links; owners become root,
// whoever made the tree; sockets, FIFOs and devices are an error, since no image has them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "archive/tar.h"
#include "base/result.h"

namespace belljar::archive {

// A file that is not in the tree; its directory is.
struct AddedFile {
  std::string path;  // relative
  std::string_view content;
  unsigned mode = 0644;
};

Result<> PackTree(const std::string& root, const std::vector<AddedFile>& added, const Sink& sink);

}  // namespace belljar::archive
