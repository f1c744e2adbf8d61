#include "run/image_builds.h"

#include "foundation/base/fingerprint.h"

namespace belljar::run {

std::string ImageBuilds::Of(const std::string& image) {
  const std::lock_guard lock(mutex_);
  std::string& build = builds_[image];
  if (!build.empty()) return build;
  const auto found = images_.Find(image);
  if (!found) return "";
  Fingerprint content;
  for (const std::string* const text : {&found->source, &found->origin, &found->python_version,
                                        &found->node_version, &found->created}) {
    content.Add(*text);
  }
  content.Add(found->files);
  content.Add(found->bytes);
  build = content.Text();
  return build;
}

}  // namespace belljar::run
