#include "cell/native/host/idle_nets.h"

#include <sys/ioctl.h>

#include <utility>

namespace belljar::cell::native {
namespace {

constexpr unsigned long kGetNetNamespace = _IO(0xFF, 4);  // PIDFD_GET_NET_NAMESPACE

}  // namespace

Fd IdleNets::Take() {
  const std::lock_guard lock(mutex_);
  if (nets_.empty()) return Fd();
  Fd net = std::move(nets_.back());
  nets_.pop_back();
  return net;
}

void IdleNets::Give(Fd net) {
  const std::lock_guard lock(mutex_);
  if (net && nets_.size() < kMost) nets_.push_back(std::move(net));
}

Fd NetOf(const Process& process) {
  return process.pidfd() ? Fd(::ioctl(process.pidfd().get(), kGetNetNamespace, 0)) : Fd();
}

}  // namespace belljar::cell::native
