// belljar-binder: makes views of the host's files for an ordinary user.
//
// A view is a mount, and to make one takes rights over a mount namespace in which the file is in
// sight. An ordinary user has such rights only in a namespace of its own, and the agents, which
// have one, have left the host's files behind. So this process stands in a user namespace and a
// mount namespace with the host's tree in it, does nothing else, and hands detached views to the
// supervisor. It is a program of its own, small and static, as the agent is, and ends when the
// supervisor closes its socket.
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

// A later mount of the host's is to be seen here as well, and none of ours there.
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
