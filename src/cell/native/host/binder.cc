// belljar-binder: makes views of the host's files for an ordinary user.
//
// A view is a mount, and making one takes capabilities over a mount namespace in which the file is
// visible. An ordinary user has them only in a user namespace of its own, and the agents, which
// have one, have detached the host's files. So this process stays in a user namespace and a mount
// namespace that holds the host's tree; it does nothing but pass detached views to the supervisor.
// Like the agent it is a separate program, small and static, and it exits when the supervisor
// closes its socket.
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cell/native/launcher/bind_order.h"
#include "cell/native/launcher/child.h"
#include "cell/native/launcher/mount_api.h"
#include "cell/native/launcher/serve_orders.h"
#include "cell/native/launcher/stage_parts.h"

namespace belljar::cell::native {
namespace {

// -1: errno says why.
int MakeView(const BindOrder& order) {
  const int found = ::open(order.path, O_PATH | O_NOFOLLOW | O_CLOEXEC);
  if (found < 0) return -1;
  struct stat status {};
  int view = -1;
  if (::fstat(found, &status) != 0 || status.st_dev != order.device ||
      status.st_ino != order.inode) {
    errno = ESTALE;
  } else {
    view = CloneOpened(found);
  }
  const int err = errno;
  ::close(found);
  errno = err;
  if (view < 0 || order.attributes == 0 || SetMountAttributes(view, order.attributes)) return view;
  const int failed = errno;
  ::close(view);
  errno = failed;
  return -1;
}

// A slave mount tree: later mounts of the host appear here, and mounts made here stay here.
bool TakePlace(const BinderStart& start) {
  return EnterMappedUser(start.outer_uid, start.outer_gid) && ::unshare(CLONE_NEWNS) == 0 &&
         ::mount(nullptr, "/", nullptr, MS_REC | MS_SLAVE, nullptr) == 0;
}

void Serve() {
  static BindOrder order;
  ServeOrders(kOrdersFd, order, [&](const OrderFds& fds) {
    if (fds.count != 0) ::_exit(1);
    order.path[sizeof(order.path) - 1] = '\0';
    const int view = MakeView(order);
    return std::optional(OrderAnswer<BindReport>{{view < 0 ? errno : 0}, view});
  });
}

int Main() {
  BinderStart start{};
  OrderFds none;
  if (!BeginProgram("belljar-binder", start, &none, 0)) return 1;
  if (!TakePlace(start)) Die(kOrdersFd, Step::kArtefacts);
  if (!TellReady()) return 1;
  Serve();
  return 0;
}

}  // namespace
}  // namespace belljar::cell::native

int main() { return belljar::cell::native::Main(); }
