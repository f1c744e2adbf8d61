// Cancellation: turns SIGINT, SIGTERM and SIGHUP into a descriptor that becomes readable. While it
// lives those signals have no other effect; afterwards they have their default effect again. At
// most one instance at a time.
#pragma once

#include "foundation/base/fd.h"
#include "foundation/base/result.h"
#include "foundation/base/sys.h"

namespace belljar::door::cli {

class Cancellation {
 public:
  static Result<Cancellation> OnSignals();
  Cancellation(Cancellation&&) noexcept = default;
  Cancellation& operator=(Cancellation&&) = delete;
  ~Cancellation();

  int fd() const { return pipe_.read.get(); }
  // Whether such a signal has arrived.
  bool Asked() const;

 private:
  explicit Cancellation(PipeEnds pipe) : pipe_(std::move(pipe)) {}

  PipeEnds pipe_;
};

}  // namespace belljar::door::cli
