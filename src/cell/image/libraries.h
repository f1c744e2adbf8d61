// The shared libraries of everything in a plan, added to it.
//
// An image has no /etc/ld.so.cache, so a library that the host finds only through its cache gets
// a link in the directory the C library lies in, which every loader searches by default.
#pragma once

#include <string>
#include <vector>

#include "cell/image/paths.h"
#include "cell/image/plan.h"
#include "foundation/base/result.h"

namespace belljar::cell::image {

// `required` are programs of the plan (paths inside) whose libraries must all be there; a missing
// library of another program or extension module leaves that one as unusable as on the host.
Result<> AddLibraries(const Root& host, FilePlan& plan, const std::vector<std::string>& required);

}  // namespace belljar::cell::image
