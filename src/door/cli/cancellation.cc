#include "door/cli/cancellation.h"

#include <poll.h>
#include <signal.h>
#include <unistd.h>

namespace belljar::door::cli {
namespace {

constexpr int kSignals[] = {SIGINT, SIGTERM, SIGHUP};

volatile int write_end = -1;  // the only variable the handler uses

void OnSignal(int) {
  const char byte = 1;
  const ssize_t ignored = ::write(write_end, &byte, 1);
  static_cast<void>(ignored);
}

void HandleAll(void (*handler)(int)) {
  struct sigaction action {};
  action.sa_handler = handler;  // no SA_RESTART: blocking calls return EINTR
  for (const int signal : kSignals) ::sigaction(signal, &action, nullptr);
}

}  // namespace

Result<Cancellation> Cancellation::OnSignals() {
  PipeEnds pipe = BJ_TRY(MakePipe());
  write_end = pipe.write.get();
  HandleAll(OnSignal);
  return Cancellation(std::move(pipe));
}

bool Cancellation::Asked() const {
  pollfd waited{fd(), POLLIN, 0};
  return ::poll(&waited, 1, 0) > 0;
}

Cancellation::~Cancellation() {
  if (!pipe_.read) return;  // moved-from
  HandleAll(SIG_DFL);
}

}  // namespace belljar::door::cli
