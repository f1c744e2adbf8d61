// ImageModules: which modules the images of this machine have, and which a request would miss.
//
// The names of an image are read once (image/modules.h) and kept until its image.json is another
// file: each request costs one stat() and a search per import. An image that is not there, or that
// cannot be read, is no reason to say anything. Thread-safe.
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
  // Null: nothing is known.
  Names Of(const std::string& image, judgement::analysis::Language language);
  // Other images that have the module, by name; a few.
  std::vector<std::string> ImagesWith(const std::string& module,
                                      judgement::analysis::Language language,
                                      const std::string& other_than);

 private:
  struct Stamp {  // of an image.json
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

// What a text of a request imports and will not find: neither in the image nor among the files of
// the request. Nothing is said where there are other places to look in: a session's workspace,
// vaults, a search path of the caller's.
std::vector<judgement::analysis::Finding> MissingIn(ImageModules& modules,
                                                    const request::Request& request,
                                                    const judgement::analysis::Analysis& analysis,
                                                    judgement::analysis::Language language);

}  // namespace belljar::run
