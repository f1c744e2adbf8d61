// The first message to the processes that build cells of an image: their orders and files.
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

// The contents of the runtime files, in the order of RuntimeFileName(). Both arguments may be
// empty.
std::array<std::string_view, kRuntimeFileCount> RuntimeContents(std::string_view compiled_guest,
                                                                std::string_view tools_client);
// The same contents as sealed memory files.
Result<std::vector<Fd>> RuntimeFiles(std::string_view compiled_guest,
                                     std::string_view tools_client);

}  // namespace belljar::cell::native
