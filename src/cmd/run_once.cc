#include <fcntl.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>

#include "base/sys.h"
#include "cmd/account.h"
#include "cmd/command.h"
#include "cmd/terminal.h"

namespace belljar::cmd {
namespace {

int cancel_pipe_write = -1;  // the only thing a signal handler may touch

void OnInterrupt(int) {
  const char byte = 1;
  const ssize_t ignored = ::write(cancel_pipe_write, &byte, 1);
  static_cast<void>(ignored);
}

// The caller's standard input, when it is a pipe or a file: a terminal is left alone.
Result<std::string> CallersInput(const RunFlags& flags, const policy::Request& request) {
  if (!request.stdin_bytes.empty() || !flags.stdin_file.empty() || ::isatty(0) == 1) {
    return request.stdin_bytes;
  }
  const Fd input(::fcntl(0, F_DUPFD_CLOEXEC, 3));
  if (!input) return std::string();  // closed
  return ReadAll(input, policy::kMaxStdinBytes, "standard input");
}

Result<int> Run(const RunFlags& flags, policy::Request request) {
  request.stdin_bytes = BJ_TRY(CallersInput(flags, request));
  auto engine = BJ_TRY(OpenEngine(flags, 0));
  auto cancel = BJ_TRY(MakePipe());
  cancel_pipe_write = cancel.write.get();
  std::signal(SIGINT, OnInterrupt);
  std::signal(SIGTERM, OnInterrupt);
  engine::RunHooks hooks;
  hooks.cancel = cancel.read.get();
  TerminalOutput terminal;
  if (!flags.json) {
    hooks.on_output = [&](result::Stream stream, std::string_view bytes) {
      terminal.Write(stream == result::Stream::kStdout ? 1 : 2, bytes);
    };
  }
  auto result = engine->Run(request, hooks);
  if (!result) return std::move(result).error();
  terminal.Finish();
  if (flags.json) {
    const std::string text = json::serialize(ToJson(*result)) + "\n";
    std::fwrite(text.data(), 1, text.size(), stdout);
    std::fflush(stdout);
  } else if (!result->reason.empty()) {
    std::fprintf(stderr, "belljar: %s: %s\n",
                 std::string(result::OutcomeName(result->outcome)).c_str(), result->reason.c_str());
  }
  if (flags.account) PrintAccount(*result, request.limits);
  return result::ExitStatus(*result);
}

}  // namespace

int RunOnce(const RunFlags& flags, const policy::Request& request) {
  auto status = Run(flags, request);
  if (!status) return Fail(status.error());
  return *status;
}

}  // namespace belljar::cmd
