// Adds the shared libraries of all programs in a plan to the plan.
//
// An image has no /etc/ld.so.cache. A library that the host finds only through its cache gets a
// link in the C library's directory, which every loader searches by default.
#pragma once

#include <string>
#include <vector>

#include "cell/image/paths.h"
#include "cell/image/plan.h"
#include "foundation/base/result.h"

namespace belljar::cell::image {

// `required` are programs of the plan (paths inside) whose libraries must all be present. A missing
// library of any other program or extension module is ignored: that file is unusable on the host,
// too.
Result<> AddLibraries(const Root& host, FilePlan& plan, const std::vector<std::string>& required);

}  // namespace belljar::cell::image
