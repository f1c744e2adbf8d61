#include "cell/image/tree.h"

#include "cell/image/host_files.h"
#include "cell/image/python_files.h"

namespace belljar::cell::image {
namespace {

bool IsLeftOut(std::string_view relative) {
  return relative == "sys" || IsMountPoint("/" + std::string(relative));
}

std::string FindIn(const Root& tree, std::string_view name) {
  for (const std::string_view dir : {"/usr/local/bin/", "/usr/bin/", "/bin/"}) {
    const auto found = tree.FindFile(std::string(dir) + std::string(name));
    if (found) return found->path;
  }
  return "";
}

}  // namespace

Result<> AddTreeImage(const Root& tree, FilePlan& plan, Image& image) {
  BJ_TRY(FindTreePython(tree, image));
  image.node = FindIn(tree, "node");
  image.bash = FindIn(tree, "bash");
  if (image.python.empty() && image.node.empty() && image.bash.empty()) {
    return Error(Kind::kInvalid, tree.dir() +
                                     " has no python3, node or bash: give the root of a whole "
                                     "tree, with usr/bin in it");
  }
  AddMountPoints(plan);
  BJ_TRY(plan.AddTree(tree, "/", "/", {.skip = IsLeftOut}));
  AddModulesLink(plan);
  return {};
}

}  // namespace belljar::cell::image
