#include "cell/docker/docker_container.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <linux/magic.h>
#include <linux/mount.h>
#include <poll.h>
#include <signal.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <thread>

#include "cell/docker/gather.h"
#include "foundation/base/sys.h"

namespace belljar::cell::docker {
namespace {

constexpr std::chrono::seconds kContainerEnd{10};

// Podman refuses to remove a container until it has noticed that it ended, and a volume while its
// container is being removed; so the request is repeated until a deadline. An object that remains
// after it is found as a stray later.
void Remove(const EngineApi& api, const std::string& target) {
  constexpr std::chrono::milliseconds kPause{100};
  const auto deadline = std::chrono::steady_clock::now() + kContainerEnd;
  while (std::chrono::steady_clock::now() < deadline) {
    const auto removed = api.Delete(target);
    if (removed || removed.error().kind() == Kind::kNotFound) return;
    std::this_thread::sleep_for(kPause);
  }
}

}  // namespace

Result<DockerContainer> DockerContainer::Create(const EngineApi& api, const json::object& body,
                                                const std::vector<json::object>& volumes) {
  DockerContainer container(api);
  for (const json::object& volume : volumes) {
    const auto made = BJ_TRY(api.Post("/volumes/create", volume).While("create a volume"));
    container.volumes_.push_back(TextAt(made, "/Name"));
  }
  const auto made = BJ_TRY(api.Post("/containers/create", body).While("create a container"));
  container.id_ = TextAt(made, "/Id");
  if (!container.id_.empty()) return container;
  return Error(Kind::kUnavailable, "Docker made a container without an id");
}

Result<> DockerContainer::Start() {
  auto started = api_->Post("/containers/" + id_ + "/start", {}).While("start a container");
  if (!started) {
    EndAllOf(id_);
    return std::move(started).error();
  }
  BJ_TRY(Inspect());
  const long raw = BJ_TRY(Check("pidfd_open", "the container's process",
                                [&] { return ::syscall(SYS_pidfd_open, pid_, 0); }));
  pidfd_ = Fd(static_cast<int>(raw));
  return {};
}

Result<> DockerContainer::Inspect() {
  const auto seen = BJ_TRY(api_->Get("/containers/" + id_ + "/json").While("look at a container"));
  pid_ = static_cast<pid_t>(NumberAt(seen, "/State/Pid"));
  if (pid_ <= 0) {
    return Error(Kind::kUnavailable,
                 fmt::format("the container has ended at once: {} {}",
                             TextAt(seen, "/State/Status"), TextAt(seen, "/State/Error")));
  }
  for (std::size_t i = 0;; ++i) {
    const std::string inside = TextAt(seen, fmt::format("/Mounts/{}/Destination", i));
    if (inside.empty()) return {};
    places_[inside] = TextAt(seen, fmt::format("/Mounts/{}/Source", i));
  }
}

// Opens the path in the daemon's mount namespace, which may differ from ours. Checks that it is the
// volume's tmpfs: data written to any other file system would be lost and unlimited.
Result<Fd> DockerContainer::OpenVolume(const std::string& path) const {
  const auto found = places_.find(path);
  if (found == places_.end()) {
    return Error(Kind::kUnavailable, "Docker has mounted no volume at " + path);
  }
  const std::string from =
      api_->listener() > 0 ? fmt::format("/proc/{}/root", api_->listener()) : "";
  Fd opened = BJ_TRY(Open(from + found->second, O_PATH | O_DIRECTORY | O_NOFOLLOW)
                         .While("the volume of a container"));
  struct statfs status {};
  BJ_TRY(Check("statfs", found->second, [&] { return ::fstatfs(opened.get(), &status); }));
  if (status.f_type != TMPFS_MAGIC) {
    return Error(Kind::kUnavailable,
                 fmt::format("Docker's volume {} is not mounted where Belljar can see it: run "
                             "belljar on the machine and in the namespaces that Docker runs in",
                             found->second));
  }
  return opened;
}

// Reconfigures the file system itself (fspick), so it does not matter through which mount it was
// opened.
Result<> DockerContainer::SetSize(const Fd& volume, std::uint64_t bytes, std::uint64_t inodes) {
  const long raw = BJ_TRY(Check("fspick", "a volume", [&] {
    return ::syscall(SYS_fspick, volume.get(), "", FSPICK_EMPTY_PATH | FSPICK_CLOEXEC);
  }));
  const Fd picked(static_cast<int>(raw));
  const auto configure = [&](unsigned command, const char* key, const char* value) {
    return Check("fsconfig", "a volume",
                 [&] { return ::syscall(SYS_fsconfig, picked.get(), command, key, value, 0); });
  };
  BJ_TRY(configure(FSCONFIG_SET_STRING, "size", std::to_string(bytes).c_str()));
  BJ_TRY(configure(FSCONFIG_SET_STRING, "nr_inodes", std::to_string(inodes).c_str()));
  BJ_TRY(configure(FSCONFIG_CMD_RECONFIGURE, nullptr, nullptr));
  return {};
}

void DockerContainer::Kill() const {
  if (pidfd_) ::syscall(SYS_pidfd_send_signal, pidfd_.get(), SIGKILL, nullptr, 0);
}

void DockerContainer::Finish() {
  Kill();
  if (pidfd_) static_cast<void>(WaitReadable(pidfd_, kContainerEnd));
  pidfd_.Close();
  // Docker may be removing the container by itself (AutoRemove).
  if (!id_.empty()) Remove(*api_, "/containers/" + id_ + "?force=1&v=1");
  id_.clear();
  for (const std::string& volume : std::exchange(volumes_, {})) Remove(*api_, "/volumes/" + volume);
}

}  // namespace belljar::cell::docker
