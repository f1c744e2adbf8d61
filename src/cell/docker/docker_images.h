// DockerImages: Belljar's images, in Docker.
//
// An image is its tree with the guests' own files in /.belljar, imported once as one layer and
// named by a fingerprint of both: localhost/belljar/image:FINGERPRINT-NAME, which no registry can
// have, and which Podman takes as it is. One that was built anew, or a new Belljar, has another
// name; older ones are strays.
#pragma once

#include <string>

#include "cell/docker/engine_api.h"
#include "cell/image/store.h"

namespace belljar::cell::docker {

inline constexpr std::string_view kDockerRepository = "localhost/belljar/image";

// The tag that an image has, in Docker. `compiled_guest` may be empty.
std::string TagOf(const image::Image& image, std::string_view compiled_guest);

struct Importing {
  std::string owner;              // which state the image belongs to, as a label
  image::OnProgress on_progress;  // may be null
};
// Imports it unless it is there; its name in Docker.
Result<std::string> EnsureImage(const EngineApi& api, const image::Image& image,
                                std::string_view compiled_guest, const Importing& how);

}  // namespace belljar::cell::docker
