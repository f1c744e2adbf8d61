#include "cell/native/host/views.h"

#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstring>
#include <memory>

#include "cell/native/host/embedded.h"
#include "cell/native/host/spawn.h"
#include "cell/native/launcher/bind_order.h"
#include "cell/native/launcher/mount_api.h"

namespace belljar::cell::native {
namespace {

using namespace std::chrono_literals;
constexpr auto kBinderDeadline = 10s;

std::uint64_t AttributesOf(StepMask off) {
  if (!Enabled(off, Step::kArtefactReadOnly)) return 0;
  return MOUNT_ATTR_RDONLY | MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV | MOUNT_ATTR_NOEXEC;
}

}  // namespace

Result<std::vector<Fd>> Views::Of(const CellSpec& spec) {
  std::vector<Fd> views;
  if (spec.artefacts.size() > kMaxArtefactMounts) {
    return Error(Kind::kInvalid, "a cell has 8 artefacts at the most");
  }
  for (const ArtefactSpec& artefact : spec.artefacts) {
    views.push_back(BJ_TRY(Make(artefact).While("artefact " + artefact.name)));
  }
  return views;
}

Result<Fd> Views::Make(const ArtefactSpec& artefact) {
  if (identity_ == Identity::kNestedUser) return AskBinder(artefact);
  const long raw = BJ_TRY(
      belljar::Check("open_tree", "it", [&] { return CloneOpened(artefact.content->get()); }));
  Fd view(static_cast<int>(raw));
  const std::uint64_t attributes = AttributesOf(off_);
  if (attributes != 0 && !SetMountAttributes(view.get(), attributes)) {
    return SysError("mount_setattr", "it", errno);
  }
  return view;
}

Result<> Views::StartBinder() {
  auto ends = BJ_TRY(MakeSocketPair(SOCK_SEQPACKET));
  Process started = BJ_TRY(SpawnProgram("belljar-binder", BinderProgram(), ends.theirs));
  ends.theirs.Close();
  const BinderStart start{::geteuid(), ::getegid()};
  BJ_TRY(SendWithFds(ends.ours, BytesOf(start), {}));
  BJ_TRY(AwaitReport(ends.ours, kBinderDeadline, "the binder"));
  binder_ = std::move(started);
  orders_ = std::move(ends.ours);
  return {};
}

Result<Fd> Views::AskBinder(const ArtefactSpec& artefact) {
  struct stat status {};
  BJ_TRY(belljar::Check("stat", "it", [&] { return ::fstat(artefact.content->get(), &status); }));
  const auto order = std::make_unique<BindOrder>();
  if (artefact.path.size() >= sizeof(order->path)) {
    return Error(Kind::kInvalid, "its place in the store has too long a path");
  }
  order->device = status.st_dev;
  order->inode = status.st_ino;
  order->attributes = AttributesOf(off_);
  std::memcpy(order->path, artefact.path.data(), artefact.path.size());
  const std::lock_guard lock(mutex_);
  if (!orders_ || !binder_.IsAlive()) BJ_TRY(StartBinder());
  BJ_TRY(SendWithFds(orders_, BytesOf(*order), {}));
  auto received = BJ_TRY(ReceiveWithFds(orders_, sizeof(BindReport), 1));
  BindReport report;
  if (received.bytes.size() != sizeof(report)) {
    orders_.Close();
    return Error(Kind::kUnavailable, "the binder has ended");
  }
  std::memcpy(&report, received.bytes.data(), sizeof(report));
  if (report.sys != 0) return SysError("mount", "it", report.sys);
  if (received.fds.size() != 1) return Error(Kind::kInternal, "no view from the binder");
  return std::move(received.fds[0]);
}

}  // namespace belljar::cell::native
