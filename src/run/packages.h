// Where a module comes from: the package that has it, which is not always called like it.
#pragma once

#include <string>
#include <string_view>

#include "judgement/analysis/finding.h"

namespace belljar::run {

struct Package {
  std::string name;       // for pip or npm
  std::string debian{};   // where it is known
  bool standard = false;  // it belongs to the language itself, of some version or installation
};

Package PackageOf(judgement::analysis::Language language, std::string_view module);

}  // namespace belljar::run
