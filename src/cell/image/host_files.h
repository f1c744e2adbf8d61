// What the default image takes from the host: a shell, the usual tools and Node.
//
// Lists of names, each taken if the host has it, at the path it has there, over the same links
// (/bin -> usr/bin, awk -> /etc/alternatives/awk -> ...), so that a script finds what it would
// find on the host (Python is python_files.h). No package manager is asked: the files themselves
// and their libraries are all there is to know. /etc is written, not copied: it says nothing about
// this host.
#pragma once

#include <array>
#include <string_view>
#include <vector>

#include "cell/image/paths.h"
#include "cell/image/plan.h"
#include "cell/image/store.h"
#include "foundation/base/result.h"

namespace belljar::cell::image {

// Where programs are looked for; the first that has one wins.
inline constexpr std::array<std::string_view, 3> kProgramDirs = {"/usr/bin/", "/bin/",
                                                                 "/usr/local/bin/"};

// Directories that a cell mounts over: empty in every image, and nothing may be placed below.
bool IsMountPoint(std::string_view inside_top);
void AddMountPoints(FilePlan& plan);

// Where `import 'belljar'` of JavaScript finds the library of the cell. Comes after everything
// else: an image that has a /node_modules of its own keeps it, and has the library by require()
// alone.
void AddModulesLink(FilePlan& plan);

// /etc/passwd, group, hosts and nsswitch.conf.
void AddEtc(FilePlan& plan);

// The shell, tools, time zones, locale and Node; sets `bash`, `node` and `node_version`.
// bash is required, the rest is taken if it is there.
Result<> AddTools(const Root& host, FilePlan& plan, Image& image);

// The lists behind all of the above, one after the other, "" between two: equal for programs that
// would take the same names (origin.h).
std::vector<std::string_view> HostFilesRecipe();

}  // namespace belljar::cell::image
