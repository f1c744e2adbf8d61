// Builds one image in its store: plan, copy, check, then publish it under its name.
#pragma once

#include <functional>
#include <string>

#include "cell/image/plan.h"
#include "cell/image/store.h"
#include "foundation/base/fd.h"
#include "foundation/base/result.h"

namespace belljar::cell::image {

// Fills the plan and the fields of the image about its interpreters.
using Planner = std::function<Result<>(FilePlan& plan, Image& image)>;

// Checks an image that is copied and not yet published; if it fails, the image is discarded.
using Inspector = std::function<Result<>(const Image& image)>;

// Locks the store while the descriptor is open; waits for another holder.
Result<Fd> LockStore(const std::string& dir);

// The caller must hold the lock. `draft` has its name, source and preimport set.
Result<Image> BuildImage(const std::string& dir, Image draft, const Planner& planner,
                         const Inspector& inspector, const OnProgress& on_progress);

// Hides DIR/NAME at once, then deletes it unless it is in use. The caller must hold the lock.
Result<> RemoveImage(const std::string& dir, const std::string& name);

}  // namespace belljar::cell::image
