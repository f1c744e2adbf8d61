#include "cell/native/host/spawn.h"

#include <fcntl.h>
#include <sched.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstring>

namespace belljar::cell::native {
namespace {

using namespace std::chrono_literals;
constexpr auto kInitDeadline = 10s;

// File actions and attributes of a new program: it has the given descriptors and default signal
// handling, regardless of the signals that this process ignores or blocks.
class SpawnActions {
 public:
  SpawnActions() {
    ::posix_spawn_file_actions_init(&actions_);
    ::posix_spawnattr_init(&attributes_);
    sigset_t signals;
    ::sigfillset(&signals);
    ::posix_spawnattr_setsigdefault(&attributes_, &signals);
    ::sigemptyset(&signals);
    ::posix_spawnattr_setsigmask(&attributes_, &signals);
    ::posix_spawnattr_setflags(&attributes_, POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK);
  }
  SpawnActions(const SpawnActions&) = delete;
  SpawnActions& operator=(const SpawnActions&) = delete;
  ~SpawnActions() {
    ::posix_spawn_file_actions_destroy(&actions_);
    ::posix_spawnattr_destroy(&attributes_);
  }
  void Put(const Fd& fd, int number) {
    ::posix_spawn_file_actions_adddup2(&actions_, fd.get(), number);
  }
  posix_spawn_file_actions_t* get() { return &actions_; }
  const posix_spawnattr_t* attributes() const { return &attributes_; }

 private:
  posix_spawn_file_actions_t actions_;
  posix_spawnattr_t attributes_;
};

// Whether the step failed because the root directory is no mount point (a plain chroot). For
// kPrivateMounts EINVAL has no other cause. For kUserNamespace, which only ordinary users run,
// EPERM may have others, so the root is examined.
bool IsOfChroot(const StepReport& report) {
  if (report.step == Step::kPrivateMounts) return report.sys == EINVAL;
  if (report.step != Step::kUserNamespace || report.sys != EPERM) return false;
  struct statx root {};
  return ::statx(AT_FDCWD, "/", 0, STATX_TYPE, &root) == 0 &&
         (root.stx_attributes_mask & STATX_ATTR_MOUNT_ROOT) != 0 &&
         (root.stx_attributes & STATX_ATTR_MOUNT_ROOT) == 0;
}

// Kernels with real-time group scheduling admit no real-time process to a CPU control group.
bool IsOfRealTime(const StepReport& report) {
  if (report.step != Step::kCgroups || report.sys != EINVAL) return false;
  const int policy = ::sched_getscheduler(0) & ~SCHED_RESET_ON_FORK;
  return policy == SCHED_FIFO || policy == SCHED_RR;
}

}  // namespace

Result<Fd> SealedFile(const char* name, std::string_view content) {
  const long raw = BJ_TRY(Check(
      "memfd_create", name, [&] { return ::memfd_create(name, MFD_CLOEXEC | MFD_ALLOW_SEALING); }));
  Fd file(static_cast<int>(raw));
  BJ_TRY(WriteAll(file, content, name));
  BJ_TRY(Check("seal", name, [&] {
    return ::fcntl(file.get(), F_ADD_SEALS,
                   F_SEAL_SEAL | F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE);
  }));
  return file;
}

Result<Process> SpawnProgram(const char* name, std::string_view content, const Fd& orders) {
  const Fd program = BJ_TRY(SealedFile(name, content));
  const Fd null = BJ_TRY(Open("/dev/null", O_RDWR));
  const Fd high = Fd(::fcntl(orders.get(), F_DUPFD_CLOEXEC, 16));  // out of the way of 0..3
  SpawnActions actions;
  for (int fd = 0; fd < 3; ++fd) actions.Put(null, fd);
  actions.Put(high, 3);
  std::string path = "/proc/self/fd/" + std::to_string(program.get());
  std::string called = name;
  std::array<char*, 2> argv{called.data(), nullptr};
  std::array<char*, 1> env{nullptr};
  pid_t pid = -1;
  const int err = ::posix_spawn(&pid, path.c_str(), actions.get(), actions.attributes(),
                                argv.data(), env.data());
  if (err != 0) return SysError("start", name, err);
  const long pidfd =
      BJ_TRY(Check("pidfd_open", name, [&] { return ::syscall(SYS_pidfd_open, pid, 0); }));
  return Process(pid, Fd(static_cast<int>(pidfd)));
}

Error StepError(const StepReport& report) {
  if (IsOfChroot(report)) {
    return Error(Kind::kUnavailable,
                 "the root directory is no mount point here (a plain chroot), and cells need one: "
                 "enter it by pivot_root, as containers and bwrap do, or run belljar outside of it",
                 report.sys);
  }
  if (IsOfRealTime(report)) {
    return Error(Kind::kUnavailable,
                 "belljar was started under real-time scheduling, and this kernel lets no such "
                 "process join a control group: start it under the ordinary one (chrt --other 0)",
                 report.sys);
  }
  return Error(report.sys == 0 ? Kind::kInternal : KindOf(report.sys),
               std::string("cell step ") + StepName(report.step) + ": " + std::strerror(report.sys),
               report.sys);
}

Result<StepReport> AwaitReport(const Fd& fd, std::chrono::milliseconds timeout,
                               std::string_view who) {
  if (!BJ_TRY(WaitReadable(fd, timeout))) {
    return Error(Kind::kUnavailable, std::string(who) + " did not get ready in time");
  }
  StepReport report;
  const long n = BJ_TRY(
      Check("read", who, [&] { return ::recv(fd.get(), &report, sizeof(report), MSG_WAITALL); }));
  if (n != sizeof(report)) {
    return Error(Kind::kInternal, std::string(who) + " ended before it was ready");
  }
  if (report.step != Step::kSealed) return StepError(report);
  return report;
}

Result<Process> ReceiveProcess(const Fd& socket, std::string_view who) {
  auto received = BJ_TRY(ReceiveWithFds(socket, sizeof(StartReport), 1));
  StartReport report;
  if (received.bytes.size() != sizeof(report)) {
    return Error(Kind::kUnavailable, std::string(who) + " has ended");
  }
  std::memcpy(&report, received.bytes.data(), sizeof(report));
  if (report.failure.step != Step::kNone) return StepError(report.failure);
  if (received.fds.size() != 1) return Error(Kind::kInternal, "no pidfd from " + std::string(who));
  return Process(report.pid, std::move(received.fds[0]));
}

Result<Received> AwaitHanded(const Fd& socket, std::size_t fds) {
  if (!BJ_TRY(WaitReadable(socket, kInitDeadline))) {
    return Error(Kind::kUnavailable, "a cell's first process did not get ready in time");
  }
  auto received = BJ_TRY(ReceiveWithFds(socket, sizeof(InitReport), fds));
  InitReport report;
  if (received.bytes.size() != sizeof(report)) {
    return Error(Kind::kInternal, "a cell's first process ended before it was ready");
  }
  std::memcpy(&report, received.bytes.data(), sizeof(report));
  if (report.step != Step::kSealed || received.fds.size() != fds) return StepError(report);
  return received;
}

Result<std::uint32_t> PackArgs(const std::vector<std::string>& args, std::span<char> buffer) {
  std::size_t used = 0;
  for (const std::string& arg : args) {
    if (used + arg.size() + 1 > buffer.size()) {
      return Error(Kind::kInvalid, "the image's start arguments are too long");
    }
    std::copy(arg.begin(), arg.end(), buffer.begin() + static_cast<std::ptrdiff_t>(used));
    used += arg.size();
    buffer[used++] = '\0';
  }
  return static_cast<std::uint32_t>(args.size());
}

}  // namespace belljar::cell::native
