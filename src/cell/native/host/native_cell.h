#pragma once

#include <array>
#include <memory>
#include <utility>
#include <vector>

#include "cell/backend.h"
#include "cell/native/host/idle_nets.h"
#include "cell/native/host/process.h"

namespace belljar::cell::native {

class NativeCell final : public Cell {
 public:
  struct Parts {
    std::shared_ptr<const Fd> image_hold;  // keeps the image's tree while any cell uses it
    Fd control;
    Fd stdin_pipe;
    Fd stdout_pipe;
    Fd stderr_pipe;
    Fd workspace;
    std::vector<Fd> vaults;
    Fd procfs;
    Fd life_line;  // init's socket: init exits when it closes
    std::array<Fd, kListenerCount> listeners;
    Process init;
    Process guest;
    std::shared_ptr<IdleNets> nets;  // null: the network namespace is not to be reused
    std::shared_ptr<CellTemplate> copy_of;
    bool is_shell = false;  // or another native program, which may be waiting for a child
  };
  explicit NativeCell(Parts parts) : parts_(std::move(parts)) {}
  ~NativeCell() override { Finish(); }

  const Fd& control() const override { return parts_.control; }
  Fd& stdin_pipe() override { return parts_.stdin_pipe; }
  const Fd& stdout_pipe() const override { return parts_.stdout_pipe; }
  const Fd& stderr_pipe() const override { return parts_.stderr_pipe; }
  const Fd& workspace() const override { return parts_.workspace; }
  const std::vector<Fd>& vaults() const override { return parts_.vaults; }
  const Fd& procfs() const override { return parts_.procfs; }
  const Fd& listener(CellListener listener) const override {
    return parts_.listeners[static_cast<std::size_t>(listener)];
  }
  const Fd& ended() const override { return parts_.guest.pidfd(); }
  Result<Ending> Reap() override { return ReapChild(parts_.guest.pidfd()); }
  pid_t number() const override { return parts_.guest.pid(); }
  std::shared_ptr<CellTemplate> copy_of() const override { return parts_.copy_of; }

  // A shell handles a signal only when the child that it waits for has ended.
  void Interrupt() override {
    if (parts_.is_shell) return InterruptAll();
    parts_.guest.Signal(SIGINT);
  }
  void InterruptAll() override { parts_.guest.SignalGroup(SIGINT); }

  // When pid 1 dies, the kernel kills every process in its pid namespace.
  void Kill() override { parts_.init.Signal(SIGKILL); }

  // Reaps the guest first: init cannot end before the last process of its namespace has been
  // reaped, and the guest's parent is this process.
  void Finish() override {
    Fd net = parts_.nets ? NetOf(parts_.init) : Fd();
    Kill();
    const bool guest_gone = parts_.guest.KillAndReap();
    if (parts_.init.KillAndReap() && guest_gone && net) parts_.nets->Give(std::move(net));
  }

 private:
  Parts parts_;
};

}  // namespace belljar::cell::native
