#include "cell/guest/shell/native_guest.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <array>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "cell/guest/protocol/wire.h"
#include "cell/guest/shell/bash_session.h"
#include "cell/native/launcher/launcher.h"

namespace belljar::cell::guest {
namespace {

constexpr const char* kScript = "/run/main.sh";
constexpr const char* kSessionDirectory = "/run/session";

[[noreturn]] void Refuse(const std::string& sentence, int status) {
  ::dprintf(2, "belljar: %s\n", sentence.c_str());
  ::_exit(status);
}

void Send(std::string_view frame) {
  while (!frame.empty()) {
    const ssize_t n = ::write(native::kControlFd, frame.data(), frame.size());
    if (n <= 0) ::_exit(0);
    frame.remove_prefix(static_cast<std::size_t>(n));
  }
}

// Receives RUN or SESSION; exits quietly if the supervisor closes the stream instead.
Frame ReceiveAsked() {
  FrameReader reader(Sender::kSupervisor);
  std::array<char, 65536> chunk;
  for (;;) {
    const ssize_t n = ::read(native::kControlFd, chunk.data(), chunk.size());
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) ::_exit(0);
    auto frames = reader.Feed({chunk.data(), static_cast<std::size_t>(n)});
    if (!frames) Refuse(frames.error().message(), 125);
    if (!frames->empty()) return std::move(frames->front());
  }
}

// The script is stored outside the workspace, because it is not one of the program's files.
void WriteScript(const std::string& code) {
  const int fd = ::open(kScript, O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0644);
  if (fd < 0) Refuse(std::string("cannot write the script: ") + ::strerror(errno), 125);
  // write() then fails with EFBIG, which is reported
  const auto before = ::signal(SIGXFSZ, SIG_IGN);
  for (std::string_view rest = code; !rest.empty();) {
    const ssize_t n = ::write(fd, rest.data(), rest.size());
    if (n < 0 && errno == EFBIG)
      Refuse("the script is larger than the limit of a file's size", 125);
    if (n <= 0) Refuse("the script does not fit into the workspace's limit", 125);
    rest.remove_prefix(static_cast<std::size_t>(n));
  }
  ::signal(SIGXFSZ, before);
  ::close(fd);
}

std::vector<std::string> CommandOf(const RunMessage& run) {
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

// Variables that the caller has set take precedence.
void AddVariables(const native::DeterministicEnvironment& fixed,
                  std::map<std::string, std::string>* env) {
  for (int i = 0; fixed[i] != nullptr; ++i) {
    const std::string_view variable = fixed[i];
    const std::size_t equals = variable.find('=');
    env->emplace(variable.substr(0, equals), variable.substr(equals + 1));
  }
}

[[noreturn]] void ExecCommand(const RunMessage& run) {
  std::vector<std::string> command = CommandOf(run);
  std::vector<std::string> variables;
  for (const auto& [name, value] : run.env) variables.push_back(name + "=" + value);
  std::vector<char*> argv = Pointers(command);
  std::vector<char*> env = Pointers(variables);
  // execvpe searches this process's PATH; a command must be searched in the program's own PATH.
  const auto path = run.env.find("PATH");
  const bool finds_command = !run.command.empty() && path != run.env.end();
  ::setenv("PATH", finds_command ? path->second.c_str() : kBashPath, 1);
  ::execvpe(argv[0], argv.data(), env.data());
  const int err = errno;
  Refuse(command.front() + ": " + (err == ENOENT ? "command not found" : ::strerror(err)),
         err == ENOENT ? 127 : 126);
}

[[noreturn]] void BeSession(const Frame& asked, const native::Deterministic& order) {
  auto message = DecodeSession(asked.payload);
  if (!message) Refuse(message.error().message(), 125);
  AddVariables(native::DeterministicEnvironment(order), &message->env);
  ServeBash({*std::move(message), native::kControlFd, kSessionDirectory});
}

[[noreturn]] void BeProgram(const Frame& asked, const native::Deterministic& order) {
  auto run = DecodeRun(asked.payload);
  if (!run) Refuse(run.error().message(), 125);
  AddVariables(native::DeterministicEnvironment(order), &run->env);
  ExecCommand(*run);
}

}  // namespace

void ServeNativeGuest(const native::Deterministic& deterministic) {
  Send(EncodeHello("native"));
  const Frame asked = ReceiveAsked();
  if (asked.type == FrameType::kSession) BeSession(asked, deterministic);
  BeProgram(asked, deterministic);
}

}  // namespace belljar::cell::guest
