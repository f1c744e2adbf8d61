// The modules that programs of an image can import: the top-level names on its search paths.
//
// Read from the image's tree by this process; no program is run. Built-in modules are not on disk:
// a fixed list stands for them, which has more names than any one interpreter.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cell/image/store.h"

namespace belljar::cell::image {

class ModuleNames {
 public:
  explicit ModuleNames(std::vector<std::string> names);

  bool Has(std::string_view name) const;
  std::size_t size() const { return names_.size(); }

 private:
  std::vector<std::string> names_;  // sorted
};

// Fails if a search path cannot be read or has too many names: then nothing is known.
Result<ModuleNames> PythonModules(const Image& image);
Result<ModuleNames> NodeModules(const Image& image);

}  // namespace belljar::cell::image
