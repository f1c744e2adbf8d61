// An image from a virtualenv: its packages, the interpreter it was made from, the host's tools.
//
// The base interpreter, its standard library and its libraries keep their absolute paths, so it
// runs unchanged; the packages keep theirs too, unless a cell mounts over that place (/tmp, /run):
// then they are put in /venv, which Python does not mind, and neither do wheels that find their
// libraries by $ORIGIN. Nothing of the virtualenv is run while the image is made.
#pragma once

#include <string>
#include <string_view>

#include "cell/image/plan.h"
#include "cell/image/store.h"
#include "foundation/base/result.h"

namespace belljar::cell::image {

// What pyvenv.cfg says.
struct VenvConfig {
  std::string home;     // directory of the base interpreter
  std::string version;  // "3.12.1"
  enum class SystemPackages { kNo, kYes } system_packages = SystemPackages::kNo;
};
Result<VenvConfig> ParseVenvConfig(std::string_view text);

// `venv` is an absolute path free of links. Sets `python`, `python_version`, `python_paths`.
Result<> AddVenv(const Root& host, const std::string& venv, FilePlan& plan, Image& image);

}  // namespace belljar::cell::image
