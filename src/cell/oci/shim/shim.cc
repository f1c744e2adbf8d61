// belljar-shim: process 1 of a container. It starts the one guest and multiplexes its streams.
//
//   belljar-shim UID SEED LISTENERS [INTERPRETER ARGUMENT...]
//
// SEED is the seed of a deterministic run, or "-"; LISTENERS is "-" and a letter for each listener
// (kListenerLetters). Without an interpreter the native guest waits for a command. The shim trusts
// only the supervisor; it holds no secret and no right outside the container. When the guest has
// ended, the shim kills every other process, sends the remaining output in the pipes, and reports
// the guest's status last. It exits at the end of its stdin, which means that the supervisor has
// gone or needs nothing more.
//
// Without arguments it prints its name, which shows that a program can be started in the container.
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "cell/guest/shell/native_guest.h"
#include "cell/native/launcher/launcher.h"
#include "cell/oci/host/orders.h"
#include "cell/oci/shim/shim_listeners.h"
#include "cell/oci/shim/shim_writing.h"
#include "cell/oci/shim/stream.h"

namespace belljar::cell::oci {
namespace {

constexpr int kSupervisorIn = 0;
constexpr int kSupervisorOut = 1;

[[noreturn]] void Fail(const char* what) {
  ::dprintf(2, "belljar-shim: %s: %s\n", what, ::strerror(errno));
  ::_exit(125);
}

struct Ends {
  int ours = -1;
  int guests = -1;
};

Ends NewPipe() {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) Fail("pipe");
  return {ends[0], ends[1]};
}

// Which pieces may be sent to the supervisor. Before a container is stopped its stream must end
// with a whole piece (kHushed). A container that is resumed first answers on the control channel
// only (kAnswers), so that its pending output does not delay the answer.
enum class Speech { kFree, kAnswers, kHushed };

class Shim {
 public:
  explicit Shim(const native::Deterministic& deterministic)
      : deterministic_(deterministic),
        listeners_({[this](Channel channel, std::string_view payload) { Send(channel, payload); },
                    [] { return true; }}) {}
  [[noreturn]] void Run(std::uint32_t uid, const char* listeners, char** command);

 private:
  [[noreturn]] void BecomeGuest(std::uint32_t uid, char** command);
  void Start(std::uint32_t uid, char** command);
  void WatchChildren();
  void Serve();
  void TakeInput();
  void TakePieces();
  void Take(Channel channel, std::string_view payload);
  void FeedControl();
  void FeedStdin();
  void Send(Channel channel, std::string_view payload);
  void CarryControl();
  void CarryWhatIsThere(int& from, Channel channel);
  // True: there may be more to read.
  bool Carry(int& from, Channel channel);
  void ReapChildren();
  [[noreturn]] void Finish();

  native::Deterministic deterministic_;
  int children_ = -1;  // signalfd
  int control_ = -1;
  int stdin_ = -1;
  int stdout_ = -1;
  int stderr_ = -1;
  pid_t guest_ = -1;
  pid_t interrupted_ = -1;  // the target of SIGINT for kill(): the guest, or its process group
  bool ended_ = false;
  int status_ = 0;
  Speech speech_ = Speech::kFree;
  std::string input_;  // from the supervisor; an incomplete piece
  Waiting for_control_;
  Waiting for_stdin_;
  ShimListeners listeners_;
  std::array<char, kPieceHeader + kMaxPiece> chunk_{};
};

void Shim::BecomeGuest(std::uint32_t uid, char** command) {
  sigset_t none;
  ::sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
  ::signal(SIGPIPE, SIG_DFL);
  ::setsid();
  if (uid != 0 && (::setgroups(0, nullptr) != 0 || ::setresgid(uid, uid, uid) != 0 ||
                   ::setresuid(uid, uid, uid) != 0)) {
    Fail("become the guest's user");
  }
  if (::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) Fail("no new privileges");
  // gVisor's kernel does not support it, and always gives the same addresses.
  if (deterministic_.is_on != 0) static_cast<void>(::personality(ADDR_NO_RANDOMIZE));
  if (::chdir("/workspace") != 0) Fail("/workspace");
  if (*command == nullptr) guest::ServeNativeGuest(deterministic_);
  native::InterpreterEnvironment env(deterministic_, nullptr);
  ::fcntl(native::kControlFd, F_SETFD, 0);
  ::execve(command[0], command, env.get());
  Fail(command[0]);
}

// In the child its ends become 0 to 3; all others are close-on-exec or closed here.
void Shim::Start(std::uint32_t uid, char** command) {
  int control[2];
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, control) != 0) Fail("socketpair");
  // A guest may open /dev/stdout again, so its user owns the pipes.
  if (uid != 0 && (::setegid(uid) != 0 || ::seteuid(uid) != 0)) Fail("seteuid");
  const Ends in = NewPipe();
  const Ends out = NewPipe();
  const Ends err = NewPipe();
  if (uid != 0 && (::seteuid(0) != 0 || ::setegid(0) != 0)) Fail("seteuid");
  guest_ = ::fork();
  if (guest_ < 0) Fail("fork");
  // A shell handles a signal only when the child that it waits for has ended.
  interrupted_ = *command == nullptr ? -guest_ : guest_;
  if (guest_ == 0) {
    const int high = ::fcntl(control[1], F_DUPFD_CLOEXEC, native::kControlFd + 1);
    if (::dup2(in.ours, 0) < 0 || ::dup2(out.guests, 1) < 0 || ::dup2(err.guests, 2) < 0 ||
        ::dup2(high, native::kControlFd) < 0) {
      Fail("dup2");
    }
    for (int fd = native::kControlFd + 1; fd <= high; ++fd) ::close(fd);
    ::fcntl(native::kControlFd, F_SETFD, FD_CLOEXEC);
    BecomeGuest(uid, command);
  }
  for (const int fd : {control[1], in.ours, out.guests, err.guests}) ::close(fd);
  control_ = control[0];
  stdin_ = in.guests;
  stdout_ = out.ours;
  stderr_ = err.ours;
  for (const int fd : {control_, stdin_, stdout_, stderr_}) {
    if (::fcntl(fd, F_SETFL, O_NONBLOCK) != 0) Fail("fcntl");
  }
}

void Shim::WatchChildren() {
  sigset_t child;
  ::sigemptyset(&child);
  ::sigaddset(&child, SIGCHLD);
  ::sigprocmask(SIG_BLOCK, &child, nullptr);
  ::signal(SIGPIPE, SIG_IGN);
  children_ = ::signalfd(-1, &child, SFD_CLOEXEC | SFD_NONBLOCK);
  if (children_ < 0) Fail("signalfd");
}

void Shim::Send(Channel channel, std::string_view payload) {
  PutPieceHeader(chunk_.data(), payload.size(), channel);
  std::ranges::copy(payload, chunk_.begin() + kPieceHeader);
  WriteWhole(kSupervisorOut, chunk_.data(), kPieceHeader + payload.size());
}

bool Shim::Carry(int& from, Channel channel) {
  if (from < 0) return false;
  // Leaves room for the header, so that one write sends both.
  const ssize_t n = ::read(from, chunk_.data() + kPieceHeader, kMaxPiece);
  if (n < 0) return errno == EINTR;
  if (n == 0) {
    ::close(from);
    from = -1;
    return false;
  }
  PutPieceHeader(chunk_.data(), static_cast<std::size_t>(n), channel);
  WriteWhole(kSupervisorOut, chunk_.data(), kPieceHeader + static_cast<std::size_t>(n));
  return true;
}

// Carries at most as much as a pipe holds.
void Shim::CarryWhatIsThere(int& from, Channel channel) {
  constexpr int kPieces = 16;
  for (int i = 0; i < kPieces && Carry(from, channel); ++i) {
  }
}

// Output that the guest printed before a control message is sent before it: "done" means that all
// of its output has been sent.
void Shim::CarryControl() {
  if (speech_ == Speech::kFree) {
    CarryWhatIsThere(stdout_, Channel::kFromStdout);
    CarryWhatIsThere(stderr_, Channel::kFromStderr);
  }
  Carry(control_, Channel::kFromControl);
}

void Shim::FeedControl() {
  if (control_ >= 0 && !for_control_.Write(control_)) for_control_.bytes.clear();
}

void Shim::FeedStdin() {
  if (stdin_ < 0) return;
  const bool some = !for_stdin_.bytes.empty();
  if (!for_stdin_.Write(stdin_)) for_stdin_ = {"", true};
  if (!for_stdin_.bytes.empty()) return;
  if (some) Send(Channel::kStdinTaken, {});
  if (!for_stdin_.closes) return;
  ::close(stdin_);
  stdin_ = -1;
}

void Shim::Take(Channel channel, std::string_view payload) {
  switch (channel) {
    case Channel::kToControl:
      if (speech_ == Speech::kHushed) speech_ = Speech::kAnswers;
      for_control_.bytes += payload;
      FeedControl();
      return;
    case Channel::kToStdin:
      for_stdin_.bytes += payload;
      if (payload.empty()) for_stdin_.closes = true;
      FeedStdin();
      return;
    case Channel::kInterrupt:
      // Before the guest leads a process group, the signal goes to it alone.
      if (!ended_ && ::kill(interrupted_, SIGINT) != 0) ::kill(guest_, SIGINT);
      return;
    case Channel::kHush:
      Send(Channel::kHushed, payload);
      speech_ = Speech::kHushed;
      return;
    case Channel::kSpeak:
      speech_ = Speech::kFree;
      return;
    case Channel::kDataIn:
    case Channel::kTakenIn:
    case Channel::kCloseIn:
      if (listeners_.Take(channel, payload)) return;
      [[fallthrough]];
    default:
      errno = EPROTO;
      Fail("the supervisor");
  }
}

void Shim::TakePieces() {
  std::string_view rest = input_;
  while (rest.size() >= kPieceHeader) {
    const std::size_t length = PieceLength(rest.data());
    if (length > kMaxPiece) Take(Channel::kEnded, {});
    if (rest.size() < kPieceHeader + length) break;
    Take(PieceChannel(rest.data()), rest.substr(kPieceHeader, length));
    rest.remove_prefix(kPieceHeader + length);
  }
  input_.erase(0, input_.size() - rest.size());
}

void Shim::TakeInput() {
  const ssize_t n = ::read(kSupervisorIn, chunk_.data(), chunk_.size());
  if (n < 0 && (errno == EINTR || errno == EAGAIN)) return;
  if (n <= 0) ::_exit(0);
  input_.append(chunk_.data(), static_cast<std::size_t>(n));
  TakePieces();
}

// Orphans become children of process 1 as well; only the guest's status counts.
void Shim::ReapChildren() {
  signalfd_siginfo info;
  while (::read(children_, &info, sizeof(info)) > 0) {
  }
  for (;;) {
    int status = 0;
    const pid_t pid = ::waitpid(-1, &status, WNOHANG | __WALL);
    if (pid <= 0) return;
    if (pid != guest_) continue;
    ended_ = true;
    status_ = status;
  }
}

void Shim::Serve() {
  std::vector<pollfd> polled;
  while (!ended_ || speech_ == Speech::kHushed) {
    const bool answers = speech_ != Speech::kHushed;
    const bool prints = speech_ == Speech::kFree;
    // If the guest does not read its control channel, the supervisor's stream is not read either
    // (backpressure), so the buffer stays bounded.
    const bool full = for_control_.bytes.size() > kMaxPiece;
    polled.assign({{full ? -1 : kSupervisorIn, POLLIN, 0},
                   {children_, POLLIN, 0},
                   {answers ? control_ : -1, POLLIN, 0},
                   {prints ? stdout_ : -1, POLLIN, 0},
                   {prints ? stderr_ : -1, POLLIN, 0},
                   {for_stdin_.bytes.empty() || !answers ? -1 : stdin_, POLLOUT, 0},
                   {for_control_.bytes.empty() ? -1 : control_, POLLOUT, 0}});
    const std::size_t own = polled.size();
    listeners_.Prepare(polled);
    if (::poll(polled.data(), polled.size(), -1) < 0 && errno != EINTR) Fail("poll");
    if (polled[2].revents != 0) CarryControl();
    if (polled[3].revents != 0) Carry(stdout_, Channel::kFromStdout);
    if (polled[4].revents != 0) Carry(stderr_, Channel::kFromStderr);
    if (polled[5].revents != 0) FeedStdin();
    if (polled[6].revents != 0) FeedControl();
    if (polled[1].revents != 0) ReapChildren();
    listeners_.Serve(std::span(polled).subspan(own));
    if (polled[0].revents != 0) TakeInput();
  }
}

// Repeated, because a process that is just being forked escapes a kill. A process that does not go
// away ends with the container.
void EndOthers() {
  constexpr int kLooks = 2000;
  for (int i = 0; i < kLooks; ++i) {
    if (::kill(-1, SIGKILL) != 0 && errno == ESRCH) return;
    pid_t pid = 0;
    do {
      pid = ::waitpid(-1, nullptr, WNOHANG | __WALL);
    } while (pid > 0);
    if (pid < 0 && errno == ECHILD) return;
    ::usleep(1000);
  }
}

void Shim::Finish() {
  EndOthers();
  while (Carry(control_, Channel::kFromControl)) {
  }
  while (Carry(stdout_, Channel::kFromStdout)) {
  }
  while (Carry(stderr_, Channel::kFromStderr)) {
  }
  const bool exited = WIFEXITED(status_);
  const char how[] = {static_cast<char>(exited ? kExited : kSignaled),
                      static_cast<char>(exited ? WEXITSTATUS(status_) : WTERMSIG(status_))};
  Send(Channel::kEnded, {how, sizeof(how)});
  for (;;) {
    const ssize_t n = ::read(kSupervisorIn, chunk_.data(), chunk_.size());
    if (n == 0 || (n < 0 && errno != EINTR)) ::_exit(0);
  }
}

void Shim::Run(std::uint32_t uid, const char* listeners, char** command) {
  WatchChildren();
  if (!listeners_.Make(listeners)) Fail("a door");
  Start(uid, command);
  Serve();
  Finish();
}

}  // namespace
}  // namespace belljar::cell::oci

int main(int argc, char** argv) {
  if (argc == 1) return ::dprintf(1, "%s", belljar::cell::oci::kShimIsHere) > 0 ? 0 : 1;
  if (argc < 4) return 2;
  const auto uid = static_cast<std::uint32_t>(::strtoul(argv[1], nullptr, 10));
  const bool fixed = ::strcmp(argv[2], "-") != 0;
  const std::uint64_t seed = fixed ? ::strtoull(argv[2], nullptr, 10) : 0;
  belljar::cell::oci::Shim({fixed ? 1U : 0U, seed}).Run(uid, argv[3], argv + 4);
}
