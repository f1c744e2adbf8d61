// Building one image in its store: plan, copy, check, then appear whole under its name.
#pragma once

#include <functional>
#include <string>

#include "cell/image/plan.h"
#include "cell/image/store.h"
#include "foundation/base/fd.h"
#include "foundation/base/result.h"

namespace belljar::cell::image {

// Fills the plan, and of the image what is known about its interpreters.
using Planner = std::function<Result<>(FilePlan& plan, Image& image)>;

// Looks at an image that is copied and not yet to be seen; one that fails is not kept.
using Inspector = std::function<Result<>(const Image& image)>;

// Held as long as the descriptor is open; waits for another holder.
Result<Fd> LockStore(const std::string& dir);

// The lock must be held. `draft` has its name, source and preimport.
Result<Image> BuildImage(const std::string& dir, Image draft, const Planner& planner,
                         const Inspector& inspector, const OnProgress& on_progress);

// Takes DIR/NAME out of sight at once, then deletes it unless somebody uses it. The lock must be
// held.
Result<> RemoveImage(const std::string& dir, const std::string& name);

}  // namespace belljar::cell::image
