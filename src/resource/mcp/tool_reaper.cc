#include "resource/mcp/tool_reaper.h"

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <memory>
#include <thread>

#include "foundation/base/sys.h"

namespace belljar::resource::mcp {
namespace {

// After this time the keeper gives up: processes that are still alive run as another user, which it
// may not kill.
constexpr std::chrono::seconds kKeeperPatience{10};
constexpr std::chrono::milliseconds kBetweenRounds{2};

// The parent's pid from /proc/PID/stat; 0 if the process is gone. The name in that file may contain
// any character, including ")".
pid_t ParentOf(const std::string& pid) {
  const auto stat = ReadFile("/proc/" + pid + "/stat", 4'096);
  const std::size_t name_end = stat ? stat->rfind(')') : std::string::npos;
  if (name_end == std::string::npos || name_end + 4 > stat->size()) return 0;
  return static_cast<pid_t>(std::atoi(stat->c_str() + name_end + 4));
}

void KillChildren() {
  const std::unique_ptr<DIR, int (*)(DIR*)> processes(::opendir("/proc"), ::closedir);
  if (!processes) return;
  while (const dirent* const entry = ::readdir(processes.get())) {
    const std::string pid = entry->d_name;
    if (pid.front() < '1' || pid.front() > '9' || ParentOf(pid) != ::getpid()) continue;
    // No pid reuse is possible: only the keeper reaps its children.
    ::kill(static_cast<pid_t>(std::atoi(pid.c_str())), SIGKILL);
  }
}

// Each round kills the keeper's children; their own children become the keeper's and are killed in
// the next round.
void EndChildren() {
  const auto deadline = std::chrono::steady_clock::now() + kKeeperPatience;
  while (std::chrono::steady_clock::now() < deadline) {
    KillChildren();
    pid_t reaped = 0;
    do {
      reaped = ::waitpid(-1, nullptr, WNOHANG);
    } while (reaped > 0);
    if (reaped < 0 && errno == ECHILD) return;
    std::this_thread::sleep_for(kBetweenRounds);
  }
}

std::vector<char*> KeptEnvironment() {
  std::vector<char*> kept;
  for (char** each = environ; *each != nullptr; ++each) {
    if (std::string_view(*each).starts_with(kKeptVariable)) {
      kept.push_back(*each + kKeptVariable.size());
    }
  }
  kept.push_back(nullptr);
  return kept;
}

[[noreturn]] void BecomeKept(const std::vector<std::string>& words, pid_t keeper) {
  std::vector<char*> own;
  for (std::size_t i = 1; i < words.size(); ++i) own.push_back(const_cast<char*>(words[i].c_str()));
  own.push_back(nullptr);
  const std::vector<char*> environment = KeptEnvironment();
  sigset_t none;
  ::sigemptyset(&none);
  ::setsid();
  for (int signal = 1; signal < NSIG; ++signal) ::signal(signal, SIG_DFL);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
  const bool watched = ::prctl(PR_SET_PDEATHSIG, SIGKILL) == 0 && ::getppid() == keeper;
  if (watched) ::execve(words.front().c_str(), own.data(), environment.data());
  const int err = errno;
  const ssize_t ignored = ::write(kReportFd, &err, sizeof(err));
  static_cast<void>(ignored);
  ::_exit(127);
}

// Replaces the keeper's standard streams by /dev/null: if it kept the pipes open, the program's end
// could not be detected on them.
void LetGoOfStreams() {
  const int nothing = ::open("/dev/null", O_RDWR | O_CLOEXEC);
  for (int fd = 0; fd <= 2; ++fd) ::dup2(nothing, fd);
  ::close(nothing);
  ::close(kReportFd);
}

// Waits until the program exits or SIGTERM arrives.
void AwaitEnd(pid_t program) {
  sigset_t awaited;
  ::sigemptyset(&awaited);
  ::sigaddset(&awaited, SIGCHLD);
  ::sigaddset(&awaited, SIGTERM);
  for (;;) {
    if (::sigwaitinfo(&awaited, nullptr) == SIGTERM) return;
    for (pid_t reaped = 1; reaped > 0;) {
      reaped = ::waitpid(-1, nullptr, WNOHANG);
      if (reaped == program) return;
    }
  }
}

}  // namespace

int KeepProgram(const std::vector<std::string>& words) {
  sigset_t all;
  ::sigfillset(&all);
  ::sigprocmask(SIG_SETMASK, &all, nullptr);
  if (words.size() < 2 || ::fcntl(kReportFd, F_SETFD, FD_CLOEXEC) != 0 ||
      ::prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) != 0) {
    return 2;
  }
  const pid_t keeper = ::getpid();
  const pid_t program = ::fork();
  if (program == 0) BecomeKept(words, keeper);
  LetGoOfStreams();
  if (program < 0) return 2;
  AwaitEnd(program);
  EndChildren();
  return 0;
}

}  // namespace belljar::resource::mcp
