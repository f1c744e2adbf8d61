#include "cell/native/host/runtime_files.h"

#include <unistd.h>

#include <algorithm>
#include <array>

#include "cell/native/host/embedded.h"
#include "cell/native/host/spawn.h"

namespace belljar::cell::native {

Result<std::unique_ptr<StageOrder>> StageOrderFor(const image::Image& image, Identity identity) {
  auto order = std::make_unique<StageOrder>();
  order->identity = identity;
  order->outer_uid = ::geteuid();
  order->outer_gid = ::getegid();
  if (image.rootfs.size() >= sizeof(order->rootfs)) {
    return Error(Kind::kInvalid, "the image's path is too long: " + image.rootfs);
  }
  std::copy(image.rootfs.begin(), image.rootfs.end(), order->rootfs);
  return order;
}

std::array<std::string_view, kRuntimeFileCount> RuntimeContents(std::string_view compiled_guest,
                                                                std::string_view tools_client) {
  std::array<std::string_view, kRuntimeFileCount> contents = {
      compiled_guest, PythonModule(), DeterministicLibrary(), tools_client, OwnNameLibrary()};
  std::ranges::copy(GuestFiles(), contents.begin() + kOtherFileCount);
  return contents;
}

Result<std::vector<Fd>> RuntimeFiles(std::string_view compiled_guest,
                                     std::string_view tools_client) {
  const auto contents = RuntimeContents(compiled_guest, tools_client);
  std::vector<Fd> files;
  for (std::size_t i = 0; i < contents.size(); ++i) {
    files.push_back(BJ_TRY(SealedFile(RuntimeFileName(static_cast<int>(i)), contents[i])));
  }
  return files;
}

}  // namespace belljar::cell::native
