#include "cell/docker/docker_images.h"

#include <fmt/format.h>

#include "cell/docker/container_plan.h"
#include "cell/native/host/embedded.h"
#include "cell/native/host/runtime_files.h"
#include "cell/oci/host/embedded.h"
#include "cell/oci/host/orders.h"
#include "foundation/base/fingerprint.h"
#include "foundation/tree/tar.h"

namespace belljar::cell::docker {
namespace {

std::vector<tree::AddedFile> GuestFilesOf(std::string_view compiled_guest) {
  std::vector<tree::AddedFile> files;
  const auto contents = native::RuntimeContents(compiled_guest, native::ToolsClient());
  for (int i = 0; i < native::kRuntimeFileCount; ++i) {
    const std::string_view content = contents[static_cast<std::size_t>(i)];
    if (content.empty()) continue;
    const std::string_view name = native::RuntimeFileName(i);
    files.push_back(
        {fmt::format(".belljar/{}", name), content, name.starts_with("bin/") ? 0755U : 0644U});
  }
  files.push_back({fmt::format(".belljar/{}", oci::kShimName), oci::ShimProgram(), 0755});
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
  for (const tree::AddedFile& file : GuestFilesOf(compiled_guest)) content.Add(file.content);
  return content.Text() + "-" + image.name;
}

Result<std::string> EnsureImage(const EngineApi& api, const image::Image& image,
                                std::string_view compiled_guest, const Importing& how) {
  std::string name = fmt::format("{}:{}", kDockerRepository, TagOf(image, compiled_guest));
  const auto there = api.Get("/images/" + name + "/json");
  if (there) return name;
  if (there.error().kind() != Kind::kNotFound) return there.error();
  image::Progress progress{"bringing it into Docker", 0, 0, 0};
  const auto pack = [&](const http::client::BodySink& sink) {
    const auto counted = [&](std::string_view bytes) {
      progress.bytes += bytes.size();
      if (how.on_progress) how.on_progress(progress);
      return sink(bytes);
    };
    return tree::PackTree(image.rootfs, GuestFilesOf(compiled_guest), counted);
  };
  BJ_TRY(api.Import({name, fmt::format("{}={}", kOwnerLabel, how.owner)}, pack)
             .While(fmt::format("bring the image \"{}\" into Docker", image.name)));
  progress.files = progress.total_files = image.files;
  progress.is_last = true;
  if (how.on_progress) how.on_progress(progress);
  return name;
}

}  // namespace belljar::cell::docker
