// ServeSignals: delivers a daemon's signals one by one: SIGHUP to reload the configuration, SIGTERM
// or SIGINT to stop. It uses a handler and a self-pipe, because a blocked signal (signalfd) would
// stay blocked in every cell. While it lives those signals have no other effect. At most one
// instance at a time.
#pragma once

#include "foundation/base/fd.h"
#include "foundation/base/result.h"
#include "foundation/base/sys.h"

namespace belljar::door::cli {

class ServeSignals {
 public:
  static Result<ServeSignals> Install();
  ServeSignals(ServeSignals&&) noexcept = default;
  ServeSignals& operator=(ServeSignals&&) = delete;
  ~ServeSignals();

  // Waits for the next signal.
  Result<int> Next();
  // Readable when a signal is pending.
  int fd() const { return pipe_.read.get(); }

 private:
  explicit ServeSignals(PipeEnds pipe) : pipe_(std::move(pipe)) {}

  PipeEnds pipe_;
};

}  // namespace belljar::door::cli
