#include "resource/mcp/child.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <string_view>

#include "foundation/base/sys.h"
#include "resource/mcp/tool_reaper.h"

namespace belljar::resource::mcp {
namespace {

constexpr int kGraceMs = 300;
constexpr int kKeeperMs = 15'000;  // longer than the keeper needs itself

// Finds the program as a shell would, in the PATH of the program's own environment.
Result<std::string> FindProgram(const Command& command) {
  if (command.words.empty()) return Error(Kind::kInvalid, "there is no program to start");
  const std::string& name = command.words.front();
  if (name.find('/') != std::string::npos) return name;
  std::string_view path = "/usr/local/bin:/usr/bin:/bin";
  for (const std::string& variable : command.environment) {
    if (variable.starts_with("PATH=")) path = std::string_view(variable).substr(5);
  }
  while (!path.empty()) {
    const std::size_t colon = path.find(':');
    std::string candidate = std::string(path.substr(0, colon)) + "/" + name;
    if (candidate.front() == '/' && ::access(candidate.c_str(), X_OK) == 0) return candidate;
    path = colon == std::string_view::npos ? "" : path.substr(colon + 1);
  }
  return Error(Kind::kNotFound, fmt::format("there is no program \"{}\" on the PATH", name));
}

std::vector<char*> Pointers(const std::vector<std::string>& texts) {
  std::vector<char*> pointers;
  pointers.reserve(texts.size() + 1);
  for (const std::string& text : texts) pointers.push_back(const_cast<char*>(text.c_str()));
  pointers.push_back(nullptr);
  return pointers;
}

struct Streams {
  PipeEnds input, output, errors, report;
};

// The command to execute: the program itself, or its keeper.
struct Launch {
  std::string path;
  std::vector<std::string> words, environment;
  bool kept = false;
};

Result<Launch> LaunchOf(const Command& command) {
  std::string path = BJ_TRY(FindProgram(command));
  if (command.keeper.empty()) return Launch{path, command.words, command.environment, false};
  Launch launch{command.keeper.front(), command.keeper, {}, true};
  launch.words.push_back(std::move(path));
  launch.words.insert(launch.words.end(), command.words.begin(), command.words.end());
  for (const std::string& variable : command.environment) {
    launch.environment.push_back(std::string(kKeptVariable) + variable);
  }
  return launch;
}

// Runs in the forked child of a multithreaded process: only async-signal-safe calls are allowed.
[[noreturn]] void BecomeProgram(const Launch& launch, char** words, char** environment,
                                const Streams& streams, pid_t parent) {
  const auto fail = [&] {
    const int err = errno;
    const ssize_t ignored = ::write(streams.report.write.get(), &err, sizeof(err));
    static_cast<void>(ignored);
    ::_exit(127);
  };
  // A keeper gets SIGTERM, because it still has to end the program's descendants.
  if (::prctl(PR_SET_PDEATHSIG, launch.kept ? SIGTERM : SIGKILL) != 0) fail();
  if (::getppid() != parent) ::_exit(127);  // the parent ended before prctl took effect
  ::setsid();
  // The descriptors are duplicated above 2 first, so that dup2() below overwrites none of them.
  const int in = ::fcntl(streams.input.read.get(), F_DUPFD, 3);
  const int out = ::fcntl(streams.output.write.get(), F_DUPFD, 3);
  const int err = ::fcntl(streams.errors.write.get(), F_DUPFD, 3);
  if (::dup2(in, 0) < 0 || ::dup2(out, 1) < 0 || ::dup2(err, 2) < 0) fail();
  const int report = ::fcntl(streams.report.write.get(), F_DUPFD, kReportFd + 1);
  // Marks all descriptors above 2 close-on-exec. The report pipe closes on exec, unless it is
  // passed on to a keeper.
  ::syscall(SYS_close_range, 3, ~0U, CLOSE_RANGE_CLOEXEC);
  if (launch.kept && ::dup2(report, kReportFd) < 0) fail();
  for (int signal = 1; signal < NSIG; ++signal) ::signal(signal, SIG_DFL);
  sigset_t none;
  ::sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
  if (::chdir("/") != 0) fail();
  ::execve(launch.path.c_str(), words, environment);
  fail();
  ::_exit(127);
}

Result<Streams> MakeStreams() {
  Streams streams;
  for (PipeEnds* ends : {&streams.input, &streams.output, &streams.errors, &streams.report}) {
    *ends = BJ_TRY(MakePipe());
  }
  BJ_TRY(SetNonBlocking(streams.input.write));
  return streams;
}

}  // namespace

Result<Child> Child::Start(const Command& command) {
  const Launch launch = BJ_TRY(LaunchOf(command));
  const std::vector<char*> words = Pointers(launch.words);
  const std::vector<char*> environment = Pointers(launch.environment);
  Streams streams = BJ_TRY(MakeStreams());
  const pid_t parent = ::getpid();
  Child child;
  child.kept_ = launch.kept;
  child.pid_ = static_cast<pid_t>(BJ_TRY(Check("fork", launch.path, [] { return ::fork(); })));
  if (child.pid_ == 0) {
    BecomeProgram(launch, const_cast<char**>(words.data()), const_cast<char**>(environment.data()),
                  streams, parent);
  }
  const long pidfd = ::syscall(SYS_pidfd_open, child.pid_, 0);
  child.pidfd_ = Fd(static_cast<int>(pidfd));
  streams.report.write.Close();
  int err = 0;
  const ssize_t n = ::read(streams.report.read.get(), &err, sizeof(err));
  if (n == sizeof(err)) {
    Error failed = SysError("start", command.words.front(), err);
    // The file is not executable; kDenied is reserved for decisions of a policy.
    if (failed.kind() == Kind::kDenied) return Error(Kind::kUnavailable, failed.message(), err);
    return failed;
  }
  child.input_ = std::move(streams.input.write);
  child.output_ = std::move(streams.output.read);
  child.errors_ = std::move(streams.errors.read);
  return child;
}

// Waits briefly for the child to exit by itself, and gives a keeper time to end its processes.
void Child::Stop() const {
  pollfd ended{pidfd_.get(), POLLIN, 0};
  if (::poll(&ended, 1, kGraceMs) > 0 || !kept_) return;
  ::syscall(SYS_pidfd_send_signal, pidfd_.get(), SIGTERM, nullptr, 0);
  ::poll(&ended, 1, kKeeperMs);
}

Child::~Child() {
  if (!pidfd_) return;
  input_.Close();
  Stop();
  // The pid and the process group are valid until the process is reaped.
  ::kill(-pid_, SIGKILL);
  ::kill(pid_, SIGKILL);
  siginfo_t info{};
  while (::waitid(P_PIDFD, static_cast<id_t>(pidfd_.get()), &info, WEXITED) != 0 &&
         errno == EINTR) {
  }
}

}  // namespace belljar::resource::mcp
