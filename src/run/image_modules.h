// ImageModules: the modules that this machine's images contain, and the imports of a request that
// would fail.
//
// The module names of an image are read once (cell/image/modules.h) and cached until its image.json
// changes: each request costs one stat() and a lookup per import. For an image that is missing or
// unreadable nothing is reported. Thread-safe.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "cell/image/modules.h"
#include "judgement/analysis/finding.h"
#include "request/request.h"

namespace belljar::run {

class ImageModules {
 public:
  explicit ImageModules(std::string images_dir) : dir_(std::move(images_dir)) {}

  using Names = std::shared_ptr<const cell::image::ModuleNames>;
  // Null: the image's modules are unknown.
  Names Of(const std::string& image, judgement::analysis::Language language);
  // A few other images that have the module, by name.
  std::vector<std::string> ImagesWith(const std::string& module,
                                      judgement::analysis::Language language,
                                      const std::string& other_than);

 private:
  struct Stamp {  // identifies a version of an image.json
    std::uint64_t inode = 0;
    std::int64_t changed_ns = 0;
    bool operator==(const Stamp&) const = default;
  };
  struct Kept {
    Stamp stamp;
    Names names;
  };
  Names Read(const std::string& image, judgement::analysis::Language language) const;

  std::string dir_;
  std::mutex mutex_;
  std::map<std::pair<std::string, judgement::analysis::Language>, Kept> kept_;
};

// Findings for imports that will fail: modules neither in the image nor among the request's files.
// Returns nothing where modules may come from elsewhere: a session's workspace, vaults, or a search
// path that the caller sets.
std::vector<judgement::analysis::Finding> MissingIn(ImageModules& modules,
                                                    const request::Request& request,
                                                    const judgement::analysis::Analysis& analysis,
                                                    judgement::analysis::Language language);

}  // namespace belljar::run
