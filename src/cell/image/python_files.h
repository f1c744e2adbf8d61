// Finds the parts of a Python installation: interpreter, standard library, packages.
//
// The host's own interpreter is run to find its paths (without `site`, so no user code is
// executed). An interpreter in a foreign tree is never run; its paths are derived from its
// location, as it would do itself. A cell's sys.path consists of these paths only. *.pth files
// contain code that `site` would execute, so they are neither executed nor copied.
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

// The minor number of "3.11.2" or "3.11" (later components are ignored). Fails for another major
// version, and for versions before 3.8, the oldest that the guest supports.
Result<int> SupportedMinor(std::string_view version);

// The standard library of the interpreter at `python` (free of links), below its prefix.
std::optional<Resolved> FindStdlib(const Root& root, const std::string& python, int minor);

// Adds the host's Python from /usr/bin, else from /usr/local/bin, with its packages; sets `python`,
// `python_version` and `python_paths`.
Result<> AddSystemPython(const Root& host, FilePlan& plan, Image& image);

// Adds the standard library at `dir` and its extension modules, without the parts that no cell
// needs: its tests, editors, build configuration and bundled installers. Appends to `python_paths`.
Result<> AddStdlib(const Root& host, FilePlan& plan, const Resolved& dir, TreeRules::Take take,
                   Image& image);

// Adds the packages at `dir`, placed at `inside`. Appends to `python_paths`.
Result<> AddPackages(const Root& host, FilePlan& plan, const std::string& dir,
                     const std::string& inside, TreeRules::Take take, Image& image);

// The package directories of the interpreter at `python`, in the system's search order.
std::vector<Resolved> FindPackages(const Root& root, const std::string& python,
                                   const std::string& stdlib, int minor);

// Links `python3` and `python` in the image's /usr/bin to `image.python` unless the names are
// taken.
void AddPythonNames(const Root& host, FilePlan& plan, const Image& image);

// The names that AddStdlib leaves out, as part of an image's origin (origin.h).
std::vector<std::string_view> PythonRecipe();

// Sets `python`, `python_version` and `python_paths` for the Python of a tree, if it has one.
Result<> FindTreePython(const Root& tree, Image& image);

}  // namespace belljar::cell::image
