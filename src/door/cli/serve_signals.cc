#include "door/cli/serve_signals.h"

#include <signal.h>
#include <unistd.h>

namespace belljar::door::cli {
namespace {

constexpr int kServeSignals[] = {SIGINT, SIGTERM, SIGHUP};

volatile int signal_pipe = -1;  // the only variable the handler uses

void OnServeSignal(int signal) {
  const int saved = errno;
  const char byte = static_cast<char>(signal);
  const ssize_t ignored = ::write(signal_pipe, &byte, 1);  // a full pipe holds enough signals
  static_cast<void>(ignored);
  errno = saved;
}

void HandleServeSignals(void (*handler)(int)) {
  struct sigaction action {};
  action.sa_handler = handler;
  action.sa_flags = SA_RESTART;
  for (const int signal : kServeSignals) ::sigaction(signal, &action, nullptr);
}

}  // namespace

Result<ServeSignals> ServeSignals::Install() {
  PipeEnds pipe = BJ_TRY(MakePipe());
  BJ_TRY(SetNonBlocking(pipe.write));
  signal_pipe = pipe.write.get();
  HandleServeSignals(OnServeSignal);
  return ServeSignals(std::move(pipe));
}

ServeSignals::~ServeSignals() {
  if (pipe_.read) HandleServeSignals(SIG_DFL);
}

Result<int> ServeSignals::Next() {
  char signal = 0;
  BJ_TRY(Check("read", "signals", [&] { return ::read(pipe_.read.get(), &signal, 1); }));
  return static_cast<int>(signal);
}

}  // namespace belljar::door::cli
