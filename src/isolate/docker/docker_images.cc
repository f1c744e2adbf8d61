#include "isolate/docker/docker_images.h"

#include <fmt/format.h>

#include "archive/tree.h"
#include "base/fingerprint.h"
#include "isolate/docker/container_plan.h"
#include "isolate/native/runtime_files.h"
#include "isolate/oci/embedded.h"
#include "isolate/oci/orders.h"

namespace belljar::isolate {
namespace {

std::vector<archive::AddedFile> GuestFilesOf(std::string_view compiled_guest) {
  std::vector<archive::AddedFile> files;
  const auto contents = RuntimeContents(compiled_guest, "");
  for (int i = 0; i < kRuntimeFileCount; ++i) {
    const std::string_view content = contents[static_cast<std::size_t>(i)];
    if (content.empty()) continue;
    files.push_back({fmt::format(".belljar/{}", RuntimeFileName(i)), content, 0644});
  }
  files.push_back({fmt::format(".belljar/{}", kShimName), ShimProgram(), 0755});
  return files;
}

}  // namespace

std::string TagOf(const image::Image& image, std::string_view compiled_guest) {
  Fingerprint content;
  for (const std::string* const text :
       {&image.name, &image.source, &image.origin, &image.created}) {
    content.Add(*text);
  }
  content.Add(image.files);
  content.Add(image.bytes);
  for (const archive::AddedFile& file : GuestFilesOf(compiled_guest)) content.Add(file.content);
  return content.Text() + "-" + image.name;
}

Result<std::string> EnsureImage(const EngineApi& api, const image::Image& image,
                                std::string_view compiled_guest, const std::string& owner) {
  std::string name = fmt::format("{}:{}", kDockerRepository, TagOf(image, compiled_guest));
  const auto there = api.Get("/images/" + name + "/json");
  if (there) return name;
  if (there.error().kind() != Kind::kNotFound) return there.error();
  const auto pack = [&](const client::BodySink& sink) {
    return archive::PackTree(image.rootfs, GuestFilesOf(compiled_guest), sink);
  };
  BJ_TRY(api.Import({name, fmt::format("{}={}", kOwnerLabel, owner)}, pack)
             .While(fmt::format("bring the image \"{}\" into Docker", image.name)));
  return name;
}

}  // namespace belljar::isolate
