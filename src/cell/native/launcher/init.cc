// The init (pid 1) of a cell: sets up what all processes of the cell share, then waits for the end.
//
// Init is a copy of the agent, alone in new pid, mount, net, ipc and uts namespaces. It mounts the
// cell's own procfs and the one tmpfs behind everything writable, passes the workspace to the
// supervisor, and drops all its rights once the guest has joined. Orphaned processes become its
// children and are reaped by the kernel (SIGCHLD is ignored). Init exits when the supervisor closes
// the socket, and the kernel then kills every process of the cell.
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>

#include "cell/native/launcher/artefact_mounts.h"
#include "cell/native/launcher/child.h"
#include "cell/native/launcher/listeners.h"
#include "cell/native/launcher/mechanisms.h"
#include "cell/native/launcher/mount_api.h"
#include "cell/native/launcher/stage_parts.h"
#include "cell/native/launcher/vault_mounts.h"

namespace belljar::cell::native {
namespace {

constexpr unsigned kQuiet = MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV;

struct Init {
  const AgentOrder& order;
  Identity identity;
  int socket;
  int net;
  int whole = -1;  // the tmpfs with everything writable; itself attached nowhere
  int vaults[kMaxVaultMounts] = {-1, -1, -1, -1, -1, -1, -1, -1};
  int listeners[kMaxListeners] = {-1, -1};
  std::uint32_t open_listeners = 0;
};

using InitStep = bool (*)(Init&);

void Must(Init& init, Step step, InitStep mechanism) {
  if (!Enabled(init.order.off, step)) return;
  if (!mechanism(init)) Die(init.socket, step);
}

// Joins the network namespace in the order, which an ended cell has left. Without one, init stays
// in the namespace it was cloned into.
bool JoinNet(Init& init) {
  if (init.order.has_net == 0) return true;
  const bool joined = ::syscall(SYS_setns, init.net, CLONE_NEWNET) == 0;
  ::close(init.net);
  return joined;
}

// Shows only processes of the cell that the reader may trace: neither this init nor any kernel
// setting.
bool MountProc(Init& init) {
  static constexpr MountOption kOptions[] = {{"subset", "pid"}, {"hidepid", "ptraceable"}};
  const int proc = NewMount("proc", kOptions, 2, kQuiet | MOUNT_ATTR_NOEXEC);
  if (proc < 0) return false;
  // A rootless stage keeps the host's procfs until here: the kernel lets an ordinary user mount a
  // procfs only while another one is visible.
  if (init.identity == Identity::kNestedUser && ::umount2("/proc", MNT_DETACH) != 0) return false;
  const bool attached = AttachMount(proc, "/proc");
  ::close(proc);
  return attached;
}

bool AttachPart(int whole, const char* name, const char* to) {
  const int part = CloneMount(whole, name);
  if (part < 0) return false;
  const bool attached = AttachMount(part, to);
  ::close(part);
  return attached;
}

// Attaches the parts of the tmpfs, not the tmpfs itself.
bool AttachParts(int whole) {
  const int run = CloneMount(whole, "run");
  // Before Linux 6.15 only an attached mount can be cloned. Detaching it afterwards is slow: the
  // kernel waits for an RCU grace period.
  const bool in_sight = run < 0 && errno == EINVAL;
  if (in_sight && !AttachMount(whole, "/run")) return false;
  if (!AttachPart(whole, "workspace", "/workspace") || !AttachPart(whole, "tmp", "/tmp") ||
      !AttachPart(whole, "shm", "/dev/shm")) {
    return false;
  }
  const int part = in_sight ? CloneMount(whole, "run") : run;
  if (part < 0 || (in_sight && ::umount2("/run", MNT_DETACH) != 0)) return false;
  const bool attached = AttachMount(part, "/run");
  ::close(part);
  return attached;
}

// One tmpfs, so that one byte limit and one inode limit hold for everything a cell can write.
bool MountWorkspace(Init& init) {
  char bytes[32];
  char inodes[32];
  ::snprintf(bytes, sizeof(bytes), "%llu",
             static_cast<unsigned long long>(init.order.workspace_bytes));
  // The tmpfs root, its four directories and a listener's directory are Belljar's, not the guest's.
  ::snprintf(inodes, sizeof(inodes), "%llu",
             static_cast<unsigned long long>(init.order.workspace_inodes + 6));
  const MountOption options[] = {{"size", bytes}, {"nr_inodes", inodes}, {"mode", "0755"}};
  const int all = NewMount("tmpfs", options, 3, kQuiet);
  if (all < 0) return false;
  const std::uint32_t uid = init.order.uid;
  if (!MakeOwnedDir(all, "workspace", uid, 0755) || !MakeOwnedDir(all, "tmp", uid, 01777) ||
      !MakeOwnedDir(all, "shm", uid, 01777) || !MakeOwnedDir(all, "run", uid, 0755)) {
    return false;
  }
  init.whole = all;  // never closed here: closing it is as slow as detaching it
  return AttachParts(all);
}

// Without a UTS namespace (a test has switched it off) this would rename the host.
bool NameHost(Init& init) {
  if (!Enabled(init.order.off, Step::kUtsNamespace)) return true;
  return ::sethostname("belljar", 7) == 0;
}

// A cell is never built without a listener that was asked for; no test can switch this step off.
void OpenListeners(Init& init) {
  if (!MakeListeners(init.order, init.listeners, &init.open_listeners))
    Die(init.socket, Step::kListeners);
}

bool SendReady(Init& init) {
  int fds[2 + kMaxVaultMounts + kMaxListeners] = {
      ::open("/workspace", O_PATH | O_DIRECTORY | O_CLOEXEC),
      ::open("/proc", O_RDONLY | O_DIRECTORY | O_CLOEXEC)};
  if (fds[0] < 0 || fds[1] < 0) return false;
  std::size_t count = 2 + init.order.args;
  ::memcpy(fds + 2, init.vaults, sizeof(init.vaults));
  ::memcpy(fds + count, init.listeners, sizeof(init.listeners));
  count += init.open_listeners;
  const bool sent = ReportReady(init.socket, fds, count);
  for (std::size_t i = 0; i < count; ++i) ::close(fds[i]);
  return sent;
}

bool GiveUpRights(Init& init) {
  const Guest nobody{GuestOrder{}, GuestFds{}};
  const int keep[] = {std::min(init.socket, init.whole), std::max(init.socket, init.whole)};
  return DropBoundingSet(nobody) && LockSecurebits(nobody) && DropAllCapabilities() &&
         SetNoNewPrivileges(nobody) && ::prctl(PR_SET_DUMPABLE, 0) == 0 && CloseAllBut(keep, 2) &&
         CloseFilterFor(FilterKind::kStrictMemory);
}

// No user code runs before the supervisor has received this report.
bool ReportSealedInit(int socket) {
  const StepReport report{Step::kSealed, 0};
  return ::send(socket, &report, sizeof(report), MSG_NOSIGNAL) == sizeof(report);
}

}  // namespace

void BeInit(const AgentOrder& order, Identity identity, const int* fds) {
  const int socket = fds[0];
  Init init{order, identity, socket, fds[1]};
  ::signal(SIGCHLD, SIG_IGN);
  Must(init, Step::kNetNamespace, JoinNet);
  Must(init, Step::kProc, MountProc);
  if (!MountWorkspace(init)) Die(socket, Step::kWorkspace);
  Step failed = Step::kNone;
  if (!MountVaults(order, init.vaults, &failed)) Die(socket, failed);
  if (!MountArtefacts(order, fds + (order.has_net != 0 ? 2 : 1))) Die(socket, Step::kArtefacts);
  Must(init, Step::kHostname, NameHost);
  OpenListeners(init);
  if (!SendReady(init)) Die(socket, Step::kWorkspace);
  if (!AwaitByte(socket)) ::_exit(0);
  Must(init, Step::kInitRights, GiveUpRights);
  if (!ReportSealedInit(socket)) ::_exit(0);
  while (AwaitByte(socket)) {
  }
  ::_exit(0);
}

}  // namespace belljar::cell::native
