// Where a Python lies: interpreter, standard library, packages.
//
// The host's own interpreter is asked (without `site`, so nothing of the user's is executed); one
// in a foreign tree is never run, and its paths are derived from its place, as it would do itself.
// A cell's sys.path is made of these paths alone: *.pth files are code that `site` would execute,
// so they are neither executed nor copied.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cell/image/paths.h"
#include "cell/image/plan.h"
#include "cell/image/store.h"
#include "foundation/base/result.h"

namespace belljar::cell::image {

// "3.11.2" or "3.11" (what follows is not looked at): its minor number. Refused: another major
// version, and anything before 3.8, the oldest the guest runs on.
Result<int> SupportedMinor(std::string_view version);

// The standard library of the interpreter at `python` (free of links), below its prefix.
std::optional<Resolved> FindStdlib(const Root& root, const std::string& python, int minor);

// The host's Python of /usr/bin, else of /usr/local/bin, with its packages; sets `python`,
// `python_version` and `python_paths`.
Result<> AddSystemPython(const Root& host, FilePlan& plan, Image& image);

// The standard library at `dir` and its extension modules, without the parts no cell needs: its
// own tests, editors, build configuration and bundled installers. Appends to `python_paths`.
Result<> AddStdlib(const Root& host, FilePlan& plan, const Resolved& dir, TreeRules::Take take,
                   Image& image);

// The packages at `dir`, placed at `inside`. Appends to `python_paths`.
Result<> AddPackages(const Root& host, FilePlan& plan, const std::string& dir,
                     const std::string& inside, TreeRules::Take take, Image& image);

// Directories with packages for the interpreter at `python`, as the system would search them.
std::vector<Resolved> FindPackages(const Root& root, const std::string& python,
                                   const std::string& stdlib, int minor);

// Links `python3` and `python` in the image's /usr/bin to `image.python` where nothing is.
void AddPythonNames(const Root& host, FilePlan& plan, const Image& image);

// What AddStdlib leaves out of every standard library, as part of an image's origin (origin.h).
std::vector<std::string_view> PythonRecipe();

// Sets `python`, `python_version` and `python_paths` for the Python of a tree, if it has one.
Result<> FindTreePython(const Root& tree, Image& image);

}  // namespace belljar::cell::image
