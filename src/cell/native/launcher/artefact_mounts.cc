#include "cell/native/launcher/artefact_mounts.h"

#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cell/native/launcher/mount_api.h"

namespace belljar::cell::native {
namespace {

constexpr unsigned kQuiet = MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV | MOUNT_ATTR_NOEXEC;

// A mount point must be of the same type as the view: a directory for a directory, a file for a
// file.
bool MakePlace(int view, const char* name) {
  struct stat status {};
  if (::fstat(view, &status) != 0) return false;
  if (S_ISDIR(status.st_mode)) return ::mkdir(name, 0555) == 0;
  const int place = ::open(name, O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0444);
  if (place < 0) return false;
  ::close(place);
  return true;
}

bool PlaceAll(const AgentOrder& order, const int* views) {
  const char* name = order.arg_bytes;
  for (std::uint32_t i = 0; i < order.args; ++i) name += ::strlen(name) + 1;
  for (std::uint32_t i = 0; i < order.artefacts; ++i) {
    if (!PlaceView(views[i], name)) return false;
    name += ::strlen(name) + 1;
  }
  return true;
}

}  // namespace

bool PlaceView(int view, const char* name) {
  const bool placed = MakePlace(view, name) && AttachMount(view, name);
  ::close(view);
  return placed;
}

bool MountArtefacts(const AgentOrder& order, const int* views) {
  if (order.artefacts == 0) return true;
  if (order.artefacts > kMaxArtefactMounts) return false;
  static constexpr MountOption kOptions[] = {
      {"size", "64k"}, {"nr_inodes", "16"}, {"mode", "0555"}};
  const int whole = NewMount("tmpfs", kOptions, 3, kQuiet);
  if (whole < 0) return false;
  // The artefacts are mounts of their own, so this attribute of the whole tmpfs does not affect
  // them.
  const bool ok = AttachMount(whole, "/artefacts") && ::chdir("/artefacts") == 0 &&
                  PlaceAll(order, views) && ::chdir("/") == 0 &&
                  SetMountAttributes(whole, MOUNT_ATTR_RDONLY);
  ::close(whole);
  return ok;
}

}  // namespace belljar::cell::native
