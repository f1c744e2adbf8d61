// Maps a module to the package that provides it, which may have another name.
#pragma once

#include <string>
#include <string_view>

#include "judgement/analysis/finding.h"

namespace belljar::run {

struct Package {
  std::string name;       // for pip or npm
  std::string debian{};   // the Debian package, where known
  bool standard = false;  // part of the standard library, in some version or installation
};

Package PackageOf(judgement::analysis::Language language, std::string_view module);

}  // namespace belljar::run
