// The files that the default image takes from the host: a shell, the usual tools and Node.
//
// The files are given as lists of names. Each is taken if the host has it, at the path it has there
// and with the same links (/bin -> usr/bin, awk -> /etc/alternatives/awk -> ...), so that a script
// finds the same paths as on the host (for Python see python_files.h). No package manager is used,
// only the files and their libraries. /etc is generated, not copied, so that it reveals nothing
// about this host.
#pragma once

#include <array>
#include <string_view>
#include <vector>

#include "cell/image/paths.h"
#include "cell/image/plan.h"
#include "cell/image/store.h"
#include "foundation/base/result.h"

namespace belljar::cell::image {

// Directories where programs are looked for; the first match wins.
inline constexpr std::array<std::string_view, 3> kProgramDirs = {"/usr/bin/", "/bin/",
                                                                 "/usr/local/bin/"};

// Directories that a cell mounts over: empty in every image; no file may be placed below.
bool IsMountPoint(std::string_view inside_top);
void AddMountPoints(FilePlan& plan);

// Adds the link by which `import 'belljar'` in JavaScript finds the cell's library. Called last: an
// image with a /node_modules of its own keeps that, and can load the library only by require().
void AddModulesLink(FilePlan& plan);

// /etc/passwd, group, hosts and nsswitch.conf.
void AddEtc(FilePlan& plan);

// The shell, tools, time zones, locale and Node; sets `bash`, `node` and `node_version`.
// bash is required, the rest is optional.
Result<> AddTools(const Root& host, FilePlan& plan, Image& image);

// The lists of names used above, concatenated, with "" between two lists: equal for programs that
// would take the same names (origin.h).
std::vector<std::string_view> HostFilesRecipe();

}  // namespace belljar::cell::image
