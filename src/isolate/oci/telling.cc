#include "isolate/oci/telling.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "isolate/native/child.h"
#include "isolate/native/mechanisms.h"
#include "isolate/native/zygote_loop.h"

namespace belljar::isolate {
namespace {

constexpr int kMaxArgs = 32;

// RUNTIME ARGS… COMMAND MORE… ID
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
  if (!CloseAllBut(kKept, 3)) ::_exit(127);
  ::execve(line.argv[0], line.argv, env);
  ::dprintf(2, "%s: %s\n", line.argv[0], ::strerror(errno));
  ::_exit(127);
}

// Whether the runtime did what it was told; what it says is on `errors`.
bool Tell(const CommandLine& line, int stream, int errors) {
  const pid_t pid = ::fork();
  if (pid < 0) return false;
  if (pid == 0) BecomeRuntime(line, stream, errors);
  int status = 0;
  for (;;) {
    const pid_t ended = ::waitpid(-1, &status, 0);
    if (ended < 0 && errno != EINTR) return false;
    if (ended == pid) break;
  }
  errno = 0;
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

// The runtime finds the directory by a descriptor of this process.
struct ImagePath {
  explicit ImagePath(int dir) { ::snprintf(text, sizeof(text), "/proc/1/fd/%d", dir); }
  char text[32];
};

bool SaveContainer(const ContainerOrder& order, const int* fds) {
  const ImagePath path(fds[0]);
  CommandLine save;
  const bool fits = save.Add(order.arg_bytes, order.args) && save.Add("checkpoint", 1) &&
                    save.Add("--image-path", 1) && save.Add(path.text, 1) && save.Add("cell", 1);
  const int null = ::open("/dev/null", O_RDWR | O_CLOEXEC);
  const bool saved = fits && null >= 0 && Tell(save, null, fds[1]);
  ::close(null);
  return saved;
}

// In the place of one that was saved, if there was one.
bool RestoreContainer(const ContainerOrder& order, const int* fds) {
  const ImagePath path(fds[0]);
  const char* const more = Skip(order.arg_bytes, order.args);
  CommandLine remove;
  CommandLine restore;
  const bool fits = remove.Add(order.arg_bytes, order.args) && remove.Add("delete", 1) &&
                    remove.Add("--force", 1) && remove.Add("cell", 1) &&
                    restore.Add(order.arg_bytes, order.args) && restore.Add("restore", 1) &&
                    restore.Add(more, order.more_args) && restore.Add("--image-path", 1) &&
                    restore.Add(path.text, 1) && restore.Add("--detach", 1) &&
                    restore.Add("cell", 1);
  const int null = ::open("/dev/null", O_RDWR | O_CLOEXEC);
  const bool removed = fits && null >= 0 && Tell(remove, null, fds[1]);
  ::close(null);
  return removed && Tell(restore, fds[2], fds[1]);
}

}  // namespace

const char* Skip(const char* strings, std::uint32_t count) {
  for (; count > 0; --count) strings += ::strlen(strings) + 1;
  return strings;
}

bool StartContainer(const ContainerOrder& order, int stream, int errors) {
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
    if (pid == 0) BecomeRuntime(create, stream, errors);
    return pid > 0;
  }
  const int null = ::open("/dev/null", O_RDWR | O_CLOEXEC);
  return null >= 0 && Tell(create, stream, errors) && Tell(start, null, errors);
}

[[noreturn]] void ServeCommands(const ContainerOrder& order, int life_line) {
  for (;;) {
    ::signal(SIGCHLD, SIG_IGN);
    KeeperCommand command;
    int fds[kMaxOrderFds];
    const int count = ReceiveOrder(life_line, &command, sizeof(command), fds);
    ::signal(SIGCHLD, SIG_DFL);
    bool done = false;
    if (command.task == KeeperTask::kSaveContainer && count == kSaveFds) {
      done = SaveContainer(order, fds);
    } else if (command.task == KeeperTask::kRestoreContainer && count == kRestoreFds) {
      done = RestoreContainer(order, fds);
    } else {
      ::_exit(1);
    }
    for (int i = 0; i < count; ++i) ::close(fds[i]);
    const StepReport report{done ? Step::kSealed : Step::kExec, errno};
    if (::write(life_line, &report, sizeof(report)) != sizeof(report)) ::_exit(0);
  }
}

}  // namespace belljar::isolate
