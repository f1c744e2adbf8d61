// image.json: what is known about a finished image, beside its tree.
//
// One JSON object, "format": 1, with the fields of Image under their own names but `name` and
// `rootfs`, which are where the file lies. Unknown keys are ignored, missing ones are damage; but
// for "origin", which older images do not have: they count as out of date.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "image/store.h"

namespace belljar::image {

std::string WriteManifest(const Image& image);
Result<Image> ParseManifest(std::string_view text);

}  // namespace belljar::image
