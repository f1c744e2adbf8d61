#include "cell/native/host/compiled_guest.h"

#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include "cell/native/host/embedded.h"
#include "foundation/base/fingerprint.h"
#include "foundation/base/sys.h"

namespace belljar::cell::native {
namespace {

constexpr std::size_t kMaxBytes = 1 << 20;

std::string GuestFingerprint() {
  Fingerprint print;
  print.Add(CompileProgram());
  for (const std::string_view file : GuestFiles()) print.Add(file);
  return print.Text();
}

std::string PathFor(const image::Image& image) {
  static const std::string fingerprint = GuestFingerprint();
  return image.rootfs + "/../guest-" + fingerprint + ".pyc";
}

}  // namespace

std::string ReadCompiledGuest(const image::Image& image) {
  auto bytes = ReadFile(PathFor(image), kMaxBytes);
  return bytes ? *std::move(bytes) : "";
}

Result<> KeepCompiledGuest(const image::Image& image, std::string_view bytes) {
  if (bytes.size() > kMaxBytes) return Error(Kind::kExhausted, "a compiled guest is too large");
  const std::string path = PathFor(image);
  const std::string fresh = path + "." + std::to_string(::getpid());
  const Fd file = BJ_TRY(Open(fresh, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW, 0600));
  BJ_TRY(WriteAll(file, bytes, fresh));
  BJ_TRY(Check("rename", path, [&] { return ::rename(fresh.c_str(), path.c_str()); }));
  return {};
}

}  // namespace belljar::cell::native
