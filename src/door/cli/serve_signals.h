// ServeSignals: what a daemon is told by signals, one after the other: SIGHUP to read its
// configuration again, SIGTERM or SIGINT to stop. By a handler and a pipe, for a blocked signal
// would stay blocked in every cell. While it lives those signals do nothing else. One at a time.
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

  // Waits for the next one.
  Result<int> Next();
  // Readable when there is one.
  int fd() const { return pipe_.read.get(); }

 private:
  explicit ServeSignals(PipeEnds pipe) : pipe_(std::move(pipe)) {}

  PipeEnds pipe_;
};

}  // namespace belljar::door::cli
