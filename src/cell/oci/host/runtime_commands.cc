#include "cell/oci/host/runtime_commands.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cell/native/launcher/child.h"
#include "cell/native/launcher/mechanisms.h"
#include "cell/native/launcher/serve_orders.h"

namespace belljar::cell::oci {
namespace {

constexpr int kMaxArgs = 32;

// The command line: RUNTIME ARGS… COMMAND MORE… ID
struct CommandLine {
  char* argv[kMaxArgs + 1] = {};
  int count = 0;
  bool Add(const char* strings, std::uint32_t more) {
    for (std::uint32_t i = 0; i < more; ++i, strings = Skip(strings, 1)) {
      if (count == kMaxArgs) return false;
      argv[count++] = const_cast<char*>(strings);  // execve does not write
    }
    return true;
  }
};

[[noreturn]] void BecomeRuntime(const CommandLine& line, int stream, int errors) {
  static char path[] = "PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";
  char* const env[] = {path, nullptr};
  ::signal(SIGCHLD, SIG_DFL);
  if (::dup2(stream, 0) < 0 || ::dup2(stream, 1) < 0 || ::dup2(errors, 2) < 0) ::_exit(127);
  static constexpr int kKept[] = {0, 1, 2};
  if (!native::CloseAllBut(kKept, 3)) ::_exit(127);
  ::execve(line.argv[0], line.argv, env);
  ::dprintf(2, "%s: %s\n", line.argv[0], ::strerror(errno));
  ::_exit(127);
}

// Waits until the child has ended. Exits if the supervisor closes the life line meanwhile, because
// a runtime may hang. Also reaps orphans, which become children of process 1: runsc waits until its
// own are reaped.
bool AwaitEnd(pid_t pid, int life_line, int children, int* status) {
  pollfd polled[] = {{children, POLLIN, 0}, {life_line, 0, 0}};
  for (;;) {
    pid_t ended = 0;
    do {
      ended = ::waitpid(-1, status, WNOHANG);
      if (ended == pid) return true;
    } while (ended > 0);
    if (ended < 0 || (::poll(polled, 2, -1) < 0 && errno != EINTR)) return false;
    if ((polled[1].revents & (POLLHUP | POLLERR)) != 0) ::_exit(0);
    signalfd_siginfo info;
    while (::read(children, &info, sizeof(info)) > 0) {
    }
  }
}

// Executes a runtime command; true if it succeeds. Its error output goes to `errors`.
bool Tell(const CommandLine& line, const Fds& ways) {
  sigset_t ends;
  ::sigemptyset(&ends);
  ::sigaddset(&ends, SIGCHLD);
  ::sigprocmask(SIG_BLOCK, &ends, nullptr);
  const int children = ::signalfd(-1, &ends, SFD_CLOEXEC | SFD_NONBLOCK);
  const pid_t pid = children < 0 ? -1 : ::fork();
  if (pid == 0) {
    ::sigprocmask(SIG_UNBLOCK, &ends, nullptr);
    BecomeRuntime(line, ways.stream, ways.errors);
  }
  int status = 0;
  const bool ended = pid > 0 && AwaitEnd(pid, ways.life_line, children, &status);
  ::close(children);
  ::sigprocmask(SIG_UNBLOCK, &ends, nullptr);
  errno = 0;
  return ended && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

// The same for commands whose only output is errors.
bool TellSilently(const CommandLine& line, const Fds& ways) {
  const int null = ::open("/dev/null", O_RDWR | O_CLOEXEC);
  const bool done = null >= 0 && Tell(line, {ways.life_line, null, ways.errors});
  ::close(null);
  return done;
}

// A path by which the runtime finds a directory that this process has open.
struct ImagePath {
  explicit ImagePath(int dir) { ::snprintf(text, sizeof(text), "/proc/1/fd/%d", dir); }
  char text[32];
};

bool SaveContainer(const ContainerOrder& order, int dir, const Fds& ways) {
  const ImagePath path(dir);
  CommandLine save;
  return save.Add(order.arg_bytes, order.args) && save.Add("checkpoint", 1) &&
         save.Add("--image-path", 1) && save.Add(path.text, 1) && save.Add("cell", 1) &&
         TellSilently(save, ways);
}

// A saved container has stopped and is deleted as such. If the runtime disagrees, the container is
// killed first and then deleted by force.
bool RemoveContainer(const ContainerOrder& order, const Fds& ways) {
  CommandLine remove;
  CommandLine end;
  CommandLine force;
  const bool fits = remove.Add(order.arg_bytes, order.args) && remove.Add("delete", 1) &&
                    remove.Add("cell", 1) && end.Add(order.arg_bytes, order.args) &&
                    end.Add("kill", 1) && end.Add("cell", 1) && end.Add("KILL", 1) &&
                    force.Add(order.arg_bytes, order.args) && force.Add("delete", 1) &&
                    force.Add("--force", 1) && force.Add("cell", 1);
  if (!fits) return false;
  if (TellSilently(remove, ways)) return true;
  static_cast<void>(TellSilently(end, ways));
  return TellSilently(force, ways);
}

bool RestoreContainer(const ContainerOrder& order, int dir, const Fds& ways) {
  const ImagePath path(dir);
  CommandLine restore;
  return restore.Add(order.arg_bytes, order.args) && restore.Add("restore", 1) &&
         restore.Add(Skip(order.arg_bytes, order.args), order.more_args) &&
         restore.Add("--image-path", 1) && restore.Add(path.text, 1) &&
         restore.Add("--detach", 1) && restore.Add("cell", 1) && Tell(restore, ways);
}

// Executes a command whose words come from the supervisor.
bool TellAsAsked(const ContainerOrder& order, const KeeperCommand& command, const Fds& ways) {
  CommandLine line;
  return line.Add(order.arg_bytes, order.args) && line.Add(command.word_bytes, command.words) &&
         Tell(line, ways);
}

// Whether there is a container, which a restored one must replace.
enum class Place { kFree, kTaken };

bool Obey(const ContainerOrder& order, const KeeperCommand& command, const native::OrderFds& fds,
          int life_line, Place* place) {
  if (command.task == KeeperTask::kTellRuntime && fds.count == kTellFds) {
    return TellAsAsked(order, command, {life_line, fds.fd[0], fds.fd[1]});
  }
  if (command.task == KeeperTask::kSaveContainer && fds.count == kSaveFds) {
    return SaveContainer(order, fds.fd[0], {life_line, -1, fds.fd[1]});
  }
  if (command.task != KeeperTask::kRestoreContainer || fds.count != kRestoreFds) ::_exit(1);
  const Fds ways{life_line, fds.fd[2], fds.fd[1]};
  if (*place == Place::kTaken && !RemoveContainer(order, ways)) return false;
  *place = Place::kTaken;
  return RestoreContainer(order, fds.fd[0], ways);
}

}  // namespace

const char* Skip(const char* strings, std::uint32_t count) {
  for (; count > 0; --count) strings += ::strlen(strings) + 1;
  return strings;
}

bool StartContainer(const ContainerOrder& order, const Fds& ways) {
  const char* const more = Skip(order.arg_bytes, order.args);
  const bool at_once = order.runs_at_once != 0;
  CommandLine create;
  CommandLine start;
  const bool fits =
      create.Add(order.arg_bytes, order.args) && create.Add(at_once ? "run" : "create", 1) &&
      create.Add(more, order.more_args) && create.Add("cell", 1) &&
      start.Add(order.arg_bytes, order.args) && start.Add("start", 1) && start.Add("cell", 1);
  if (!fits) return false;
  if (at_once) {
    const pid_t pid = ::fork();
    if (pid == 0) BecomeRuntime(create, ways.stream, ways.errors);
    return pid > 0;
  }
  return Tell(create, ways) && TellSilently(start, ways);
}

void ServeCommands(const ContainerOrder& order, int life_line) {
  Place place = order.waits == 0 ? Place::kTaken : Place::kFree;
  KeeperCommand command;
  ::signal(SIGCHLD, SIG_IGN);  // while nothing is waited for, orphans are reaped by the kernel
  native::ServeOrders(life_line, command, [&](const native::OrderFds& fds) {
    ::signal(SIGCHLD, SIG_DFL);
    const bool done = Obey(order, command, fds, life_line, &place);
    const native::StepReport report{done ? native::Step::kSealed : native::Step::kExec, errno};
    ::signal(SIGCHLD, SIG_IGN);
    return std::optional(native::OrderAnswer<native::StepReport>{report});
  });
  ::_exit(0);
}

}  // namespace belljar::cell::oci
