// Builds an image from a virtualenv: its packages, the interpreter it was made from, the host's
// tools.
//
// The base interpreter, its standard library and its libraries keep their absolute paths, so it
// runs unchanged. The packages keep theirs too, unless a cell mounts over that path (/tmp, /run):
// then they are put in /venv, which works for Python and for wheels that find their libraries by
// $ORIGIN. No program of the virtualenv is run during the build.
#pragma once

#include <string>
#include <string_view>

#include "cell/image/plan.h"
#include "cell/image/store.h"
#include "foundation/base/result.h"

namespace belljar::cell::image {

// The parsed content of pyvenv.cfg.
struct VenvConfig {
  std::string home;     // directory of the base interpreter
  std::string version;  // "3.12.1"
  enum class SystemPackages { kNo, kYes } system_packages = SystemPackages::kNo;
};
Result<VenvConfig> ParseVenvConfig(std::string_view text);

// `venv` is an absolute path without symbolic links. Sets `python`, `python_version`,
// `python_paths`.
Result<> AddVenv(const Root& host, const std::string& venv, FilePlan& plan, Image& image);

}  // namespace belljar::cell::image
