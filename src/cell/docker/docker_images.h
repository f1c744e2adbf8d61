// DockerImages: imports Belljar's images into Docker.
//
// The root tree of an image, with the guests' files in /.belljar, is imported once as a single
// layer. Its name contains a fingerprint of both: localhost/belljar/image:FINGERPRINT-NAME. No
// registry can have an image of that name, and Podman accepts it unchanged. A rebuilt image or a
// new version of Belljar gets a new name; the images of older names are strays.
#pragma once

#include <string>

#include "cell/docker/engine_api.h"
#include "cell/image/store.h"

namespace belljar::cell::docker {

inline constexpr std::string_view kDockerRepository = "localhost/belljar/image";

// The tag of an image in Docker. `compiled_guest` may be empty.
std::string TagOf(const image::Image& image, std::string_view compiled_guest);

struct Importing {
  std::string owner;              // label: the state directory that the image belongs to
  image::OnProgress on_progress;  // may be null
};
// Imports the image unless it is there already; returns its name in Docker.
Result<std::string> EnsureImage(const EngineApi& api, const image::Image& image,
                                std::string_view compiled_guest, const Importing& how);

}  // namespace belljar::cell::docker
