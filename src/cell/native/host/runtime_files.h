// What the processes that build cells of an image are sent first.
#pragma once

#include <array>
#include <memory>
#include <string_view>
#include <vector>

#include "cell/image/store.h"
#include "cell/native/launcher/stage.h"
#include "foundation/base/fd.h"
#include "foundation/base/result.h"

namespace belljar::cell::native {

Result<std::unique_ptr<StageOrder>> StageOrderFor(const image::Image& image, Identity identity);

// What the guests' own files hold, in the order of RuntimeFileName(). Both may be empty.
std::array<std::string_view, kRuntimeFileCount> RuntimeContents(std::string_view compiled_guest,
                                                                std::string_view tools_client);
// The same, sealed.
Result<std::vector<Fd>> RuntimeFiles(std::string_view compiled_guest,
                                     std::string_view tools_client);

}  // namespace belljar::cell::native
