// image.json: the metadata of a finished image, stored beside its tree.
//
// One JSON object, "format": 1, with the fields of Image under their own names, except `name` and
// `rootfs`, which follow from the path of the file. Unknown keys are ignored; a missing key means a
// damaged file, except for "origin", which older images do not have: those count as out of date.
#pragma once

#include <string>
#include <string_view>

#include "cell/image/store.h"
#include "foundation/base/result.h"

namespace belljar::cell::image {

std::string WriteManifest(const Image& image);
Result<Image> ParseManifest(std::string_view text);

}  // namespace belljar::cell::image
