// Process: a child of this process, identified by its pidfd. Killed and reaped when destroyed.
#pragma once

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <utility>

#include "foundation/base/fd.h"

namespace belljar::cell::native {

class Process {
 public:
  Process() = default;
  Process(pid_t pid, Fd pidfd) : pid_(pid), pidfd_(std::move(pidfd)) {}
  Process(Process&&) noexcept = default;
  Process& operator=(Process&& other) noexcept {
    static_cast<void>(KillAndReap());
    pid_ = other.pid_;
    pidfd_ = std::move(other.pidfd_);
    return *this;
  }
  ~Process() { static_cast<void>(KillAndReap()); }

  pid_t pid() const { return pid_; }
  const Fd& pidfd() const { return pidfd_; }

  // An error is ignored: the process has ended already.
  void Signal(int signal) const {
    if (pidfd_) ::syscall(SYS_pidfd_send_signal, pidfd_.get(), signal, nullptr, 0);
  }

  // Sends a signal to the whole process group that the process leads, as a terminal does. If there
  // is no such group, or the kernel lacks the flag (before Linux 6.9), only the process gets it.
  void SignalGroup(int signal) const {
    constexpr unsigned kProcessGroup = 1U << 2U;  // PIDFD_SIGNAL_PROCESS_GROUP
    if (!pidfd_) return;
    const auto sent =
        ::syscall(SYS_pidfd_send_signal, pidfd_.get(), signal, nullptr, kProcessGroup);
    if (sent != 0) Signal(signal);
  }

  // A pidfd is readable once its process has ended.
  bool IsAlive() const {
    pollfd ended{pidfd_.get(), POLLIN, 0};
    return pidfd_ && ::poll(&ended, 1, 0) == 0;
  }

  // Kills the process and waits for its end; false if it does not end in time. It may have been
  // reaped elsewhere before.
  bool KillAndReap() {
    if (!pidfd_) return true;
    Signal(SIGKILL);
    // A process in uninterruptible sleep does not die, so the wait has a limit.
    pollfd ended{pidfd_.get(), POLLIN, 0};
    if (::poll(&ended, 1, kEndMs) == 0) {
      pidfd_.Close();
      return false;
    }
    siginfo_t info{};
    // A child cloned with CLONE_PARENT has no exit signal: only __WALL waits for it.
    while (::waitid(P_PIDFD, static_cast<id_t>(pidfd_.get()), &info, WEXITED | __WALL) != 0 &&
           errno == EINTR) {
    }
    pidfd_.Close();
    return true;
  }

 private:
  static constexpr int kEndMs = 10'000;

  pid_t pid_ = -1;
  Fd pidfd_;
};

}  // namespace belljar::cell::native
