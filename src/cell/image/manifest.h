// image.json: what is known about a finished image, beside its tree.
//
// One JSON object, "format": 1, with the fields of Image under their own names but `name` and
// `rootfs`, which are where the file lies. Unknown keys are ignored, missing ones are damage; but
// for "origin", which older images do not have: they count as out of date.
#pragma once

#include <string>
#include <string_view>

#include "cell/image/store.h"
#include "foundation/base/result.h"

namespace belljar::cell::image {

std::string WriteManifest(const Image& image);
Result<Image> ParseManifest(std::string_view text);

}  // namespace belljar::cell::image
