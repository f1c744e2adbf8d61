// The kernel state of a process: recorded when it is saved, and set up again in the process that is
// restored.
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include <initializer_list>

#include "cell/guest/python/checkpoint_layout.h"

namespace belljar::cell::guest {
namespace {

constexpr int kSignals = 65;
constexpr int kMostFiles = 1024;
constexpr int kFirstOwnFd = 4;  // 0 to 3 are the cell's stdio and control stream

struct OpenFile {
  int fd;
  int flags;
  int fd_flags;
  off_t offset;
  std::size_t path;
};

// Static data of this library, so that it is saved with the rest of the memory.
struct KernelState {
  struct sigaction actions[kSignals];
  stack_t alternate_stack;
  mode_t mask;
  char directory[PATH_MAX];
  int file_count;
  OpenFile files[kMostFiles];
  std::size_t path_bytes;
  char paths[256 * 1024];
};
KernelState state;

struct Refusal {
  char* text;
  std::size_t size;
  bool operator()(const char* format, ...) const __attribute__((format(printf, 2, 3))) {
    va_list arguments;
    va_start(arguments, format);
    ::vsnprintf(text, size, format, arguments);
    va_end(arguments);
    return false;
  }
};

// Calls `use(number)` for each entry of a directory whose name is a number, until it returns false.
template <class Use>
bool ForEachNumber(const char* directory, const Use& use) {
  DIR* const dir = ::opendir(directory);
  if (dir == nullptr) return false;
  bool good = true;
  while (const dirent* entry = ::readdir(dir)) {
    char* end = nullptr;
    const long number = ::strtol(entry->d_name, &end, 10);
    if (end == entry->d_name || *end != '\0') continue;
    if (::dirfd(dir) == number) continue;
    if (!(good = use(static_cast<int>(number)))) break;
  }
  ::closedir(dir);
  return good;
}

bool IsAlone(const Refusal& refuse) {
  int threads = 0;
  ForEachNumber("/proc/self/task", [&](int) { return ++threads, true; });
  if (threads != 1) return refuse("it has %d live threads", threads);
  siginfo_t child{};
  if (::waitid(P_ALL, 0, &child, WEXITED | WSTOPPED | WCONTINUED | WNOHANG | WNOWAIT) == 0 ||
      errno != ECHILD) {
    return refuse("it has child processes");
  }
  const int self = ::getpid();
  int other = 0;
  ForEachNumber("/proc", [&](int pid) {
    if (pid != 1 && pid != self) other = pid;
    return other == 0;
  });
  if (other != 0) return refuse("another process of the session, %d, is running", other);
  return true;
}

bool HasNoTimer(const Refusal& refuse) {
  for (const int which : {ITIMER_REAL, ITIMER_VIRTUAL, ITIMER_PROF}) {
    itimerval timer{};
    if (::getitimer(which, &timer) == 0 && timerisset(&timer.it_value)) {
      return refuse("it has a running timer");
    }
  }
  return true;
}

// A name, for messages, of an open file that cannot be opened again by its path, such as "a
// socket".
const char* NameOf(const struct stat& status, const char* link) {
  if (S_ISSOCK(status.st_mode)) return "a socket";
  if (S_ISFIFO(status.st_mode)) return "a pipe";
  if (link[0] != '/') return link;
  return "a deleted file";
}

bool OpensAgain(const OpenFile& file, const struct stat& status) {
  const int fd = ::open(state.paths + file.path, file.flags | O_CLOEXEC);
  if (fd < 0) return false;
  struct stat again {};
  const bool same =
      ::fstat(fd, &again) == 0 && again.st_dev == status.st_dev && again.st_ino == status.st_ino;
  ::close(fd);
  return same;
}

// Whether the path is in memory of the cell outside the workspace. Only the workspace is carried
// over.
bool StaysBehind(const char* path) {
  for (const char* place : {"/tmp", "/dev/shm", "/run"}) {
    const std::size_t size = ::strlen(place);
    if (::strncmp(path, place, size) == 0 && (path[size] == '/' || path[size] == '\0')) return true;
  }
  return false;
}

bool TakeFile(int fd, const Refusal& refuse) {
  char link[64];
  ::snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
  char* const path = state.paths + state.path_bytes;
  const std::size_t room = sizeof(state.paths) - state.path_bytes;
  struct stat status {};
  const ssize_t size = ::readlink(link, path, room);
  if (size < 0 || ::fstat(fd, &status) != 0) return true;  // closed meanwhile
  if (static_cast<std::size_t>(size) >= room || state.file_count == kMostFiles) {
    return refuse("it has too many open files");
  }
  path[size] = '\0';
  if (StaysBehind(path)) return refuse("%s is open, which lies outside the workspace", path);
  constexpr int kOnce = O_CREAT | O_EXCL | O_TRUNC;
  OpenFile file{fd, ::fcntl(fd, F_GETFL) & ~kOnce, ::fcntl(fd, F_GETFD), ::lseek(fd, 0, SEEK_CUR),
                state.path_bytes};
  const bool named = S_ISREG(status.st_mode) || S_ISDIR(status.st_mode) || S_ISCHR(status.st_mode);
  if (!named || path[0] != '/' || !OpensAgain(file, status)) {
    return refuse("%s is open (descriptor %d)", NameOf(status, path), fd);
  }
  state.files[state.file_count++] = file;
  state.path_bytes += static_cast<std::size_t>(size) + 1;
  return true;
}

bool TakeFiles(int saving_to, const Refusal& refuse) {
  state.file_count = 0;
  state.path_bytes = 0;
  for (const int fd : {1, 2}) {
    struct stat status {};
    if (::fstat(fd, &status) != 0 || !S_ISFIFO(status.st_mode)) {
      return refuse("descriptor %d is no longer the session's output", fd);
    }
  }
  refuse("its open files cannot be listed");
  return ForEachNumber("/proc/self/fd", [&](int fd) {
    return fd < kFirstOwnFd || fd == saving_to || TakeFile(fd, refuse);
  });
}

void PutBackFile(const OpenFile& file) {
  const int fd = ::open(state.paths + file.path, file.flags | O_CLOEXEC);
  if (fd < 0) ::_exit(kExitNotRestored);
  if (fd != file.fd) {
    if (::dup3(fd, file.fd, O_CLOEXEC) < 0) ::_exit(kExitNotRestored);
    ::close(fd);
  }
  ::fcntl(file.fd, F_SETFD, file.fd_flags);
  if (file.offset >= 0) ::lseek(file.fd, file.offset, SEEK_SET);
}

}  // namespace

bool TakeKernelState(char* why, std::size_t why_size, int saving_to) {
  const Refusal refuse{why, why_size};
  if (!IsAlone(refuse) || !HasNoTimer(refuse) || !TakeFiles(saving_to, refuse)) return false;
  for (int number = 1; number < kSignals; ++number) {
    ::sigaction(number, nullptr, &state.actions[number]);
  }
  ::sigaltstack(nullptr, &state.alternate_stack);
  state.mask = ::umask(0);
  ::umask(state.mask);
  if (::getcwd(state.directory, sizeof(state.directory)) == nullptr) {
    return refuse("its working directory was deleted");
  }
  if (StaysBehind(state.directory)) {
    return refuse("its working directory, %s, lies outside the workspace", state.directory);
  }
  // A process may stay in a directory that it could not enter, but the restored one has to enter
  // it.
  if (::access(state.directory, X_OK) != 0) {
    return refuse("its working directory, %s, cannot be entered any more", state.directory);
  }
  return true;
}

void PutBackKernelState() {
  for (int number = 1; number < kSignals; ++number) {
    ::sigaction(number, &state.actions[number], nullptr);
  }
  state.alternate_stack.ss_flags &= ~SS_ONSTACK;
  ::sigaltstack(&state.alternate_stack, nullptr);
  ::umask(state.mask);
  if (::chdir(state.directory) != 0) ::_exit(kExitNotRestored);
  for (int i = 0; i < state.file_count; ++i) PutBackFile(state.files[i]);
}

}  // namespace belljar::cell::guest
