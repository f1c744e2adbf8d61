#include "isolate/native/launcher.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <array>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "guest/wire.h"
#include "isolate/native/bash_session.h"
#include "isolate/native/zygote_loop.h"

namespace belljar::isolate {
namespace {

constexpr int kMaxArgs = 64;
constexpr const char* kScript = "/run/main.sh";
constexpr const char* kSessionDirectory = "/run/session";

[[noreturn]] void Refuse(const std::string& sentence, int status) {
  ::dprintf(2, "belljar: %s\n", sentence.c_str());
  ::_exit(status);
}

// An interpreter that is to wait for code itself: Node, or a Python without a zygote.
[[noreturn]] void ExecAtOnce(GuestOrder& order) {
  std::array<char*, kMaxArgs + 1> argv{};
  if (SplitArgs(order.arg_bytes, order.args, argv.data(), kMaxArgs) < 1)
    Die(kControlFd, Step::kExec);
  if (::access(argv[0], X_OK) != 0) Die(kControlFd, Step::kExec);
  ReportSealed();
  if (::fcntl(kControlFd, F_SETFD, 0) != 0) ::_exit(127);
  InterpreterEnvironment env(order.deterministic, nullptr);
  ::execve(argv[0], argv.data(), env.get());
  ::_exit(127);
}

void Send(std::string_view frame) {
  while (!frame.empty()) {
    const ssize_t n = ::write(kControlFd, frame.data(), frame.size());
    if (n <= 0) ::_exit(0);
    frame.remove_prefix(static_cast<std::size_t>(n));
  }
}

// RUN or SESSION; the cell ends quietly when the supervisor closes instead.
guest::Frame ReceiveAsked() {
  guest::FrameReader reader(guest::Sender::kSupervisor);
  std::array<char, 65536> chunk;
  for (;;) {
    const ssize_t n = ::read(kControlFd, chunk.data(), chunk.size());
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) ::_exit(0);
    auto frames = reader.Feed({chunk.data(), static_cast<std::size_t>(n)});
    if (!frames) Refuse(frames.error().message(), 125);
    if (!frames->empty()) return std::move(frames->front());
  }
}

// The script lies beside the workspace, not in it: it is no file of the program's.
void WriteScript(const std::string& code) {
  const int fd = ::open(kScript, O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0644);
  if (fd < 0) Refuse(std::string("cannot write the script: ") + ::strerror(errno), 125);
  for (std::string_view rest = code; !rest.empty();) {
    const ssize_t n = ::write(fd, rest.data(), rest.size());
    if (n <= 0) Refuse("the script does not fit into the workspace's limit", 125);
    rest.remove_prefix(static_cast<std::size_t>(n));
  }
  ::close(fd);
}

std::vector<std::string> CommandOf(const guest::RunMessage& run) {
  if (!run.command.empty()) return run.command;
  WriteScript(run.code.value_or(""));
  std::vector<std::string> command = {"bash", kScript};
  command.insert(command.end(), run.args.begin(), run.args.end());
  return command;
}

std::vector<char*> Pointers(std::vector<std::string>& strings) {
  std::vector<char*> pointers;
  for (std::string& string : strings) pointers.push_back(string.data());
  pointers.push_back(nullptr);
  return pointers;
}

// The caller's own variables win.
void AddVariables(const DeterministicEnvironment& fixed, std::map<std::string, std::string>* env) {
  for (int i = 0; fixed[i] != nullptr; ++i) {
    const std::string_view variable = fixed[i];
    const std::size_t equals = variable.find('=');
    env->emplace(variable.substr(0, equals), variable.substr(equals + 1));
  }
}

[[noreturn]] void ExecCommand(const guest::RunMessage& run) {
  std::vector<std::string> command = CommandOf(run);
  std::vector<std::string> variables;
  for (const auto& [name, value] : run.env) variables.push_back(name + "=" + value);
  std::vector<char*> argv = Pointers(command);
  std::vector<char*> env = Pointers(variables);
  // execvpe looks at the caller's PATH; the program's own is what counts.
  const auto path = run.env.find("PATH");
  ::setenv("PATH", path != run.env.end() ? path->second.c_str() : "/usr/bin:/bin", 1);
  ::execvpe(argv[0], argv.data(), env.data());
  const int err = errno;
  Refuse(command.front() + ": " + (err == ENOENT ? "command not found" : ::strerror(err)),
         err == ENOENT ? 127 : 126);
}

[[noreturn]] void BeSession(const guest::Frame& asked, const GuestOrder& order) {
  auto message = guest::DecodeSession(asked.payload);
  if (!message) Refuse(message.error().message(), 125);
  AddVariables(DeterministicEnvironment(order.deterministic), &message->env);
  ServeBash({*std::move(message), kControlFd, kSessionDirectory});
}

[[noreturn]] void BeProgram(const guest::Frame& asked, const GuestOrder& order) {
  auto run = guest::DecodeRun(asked.payload);
  if (!run) Refuse(run.error().message(), 125);
  AddVariables(DeterministicEnvironment(order.deterministic), &run->env);
  ExecCommand(*run);
}

}  // namespace

DeterministicEnvironment::DeterministicEnvironment(const Deterministic& order) {
  if (order.is_on == 0) return;
  ::snprintf(seed_, sizeof(seed_), "BELLJAR_SEED=%llu:first",
             static_cast<unsigned long long>(order.seed));
  variables_[0] = preload_;
  variables_[1] = seed_;
  variables_[2] = openssl_;
}

InterpreterEnvironment::InterpreterEnvironment(const Deterministic& order, const char* more)
    : fixed_(order) {
  char** next = variables_;
  // execve takes them as char*, and does not write.
  for (const char* variable : guest::kDefaultEnvironment) *next++ = const_cast<char*>(variable);
  if (more != nullptr) *next++ = const_cast<char*>(more);
  for (int i = 0; fixed_[i] != nullptr; ++i) *next++ = fixed_[i];
}

int SplitArgs(char* bytes, std::uint32_t count, char** argv, int max) {
  if (count > static_cast<std::uint32_t>(max)) return -1;
  for (std::uint32_t i = 0; i < count; ++i) {
    argv[i] = bytes;
    bytes += ::strlen(bytes) + 1;
  }
  argv[count] = nullptr;
  return static_cast<int>(count);
}

void BeLauncher(int socket) {
  ::prctl(PR_SET_NAME, "belljar-launch");
  static GuestOrder order;
  ServeGuests(socket, ForkHooks{}, &order);
  if (order.args > 0) ExecAtOnce(order);
  ReportSealed();
  Send(guest::EncodeFrame(guest::FrameType::kHello, R"({"v":1,"guest":"native"})"));
  const guest::Frame asked = ReceiveAsked();
  if (asked.type == guest::FrameType::kSession) BeSession(asked, order);
  BeProgram(asked, order);
}

}  // namespace belljar::isolate
