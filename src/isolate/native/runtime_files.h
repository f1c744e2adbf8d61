// What the processes that build cells of an image are sent first.
#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "base/fd.h"
#include "base/result.h"
#include "image/store.h"
#include "isolate/native/stage.h"

namespace belljar::isolate {

Result<std::unique_ptr<StageOrder>> StageOrderFor(const image::Image& image, Identity identity);

// The guests' own files, sealed, in the order of RuntimeFileName(). Both may be empty.
Result<std::vector<Fd>> RuntimeFiles(std::string_view compiled_guest,
                                     std::string_view tools_client);

}  // namespace belljar::isolate
