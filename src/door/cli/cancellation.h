// Cancellation: a descriptor that becomes readable when the caller wants the end (SIGINT, SIGTERM
// or SIGHUP). While it lives those signals do nothing else; after it they end the process again.
// One at a time.
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
  // Whether the end was wanted.
  bool Asked() const;

 private:
  explicit Cancellation(PipeEnds pipe) : pipe_(std::move(pipe)) {}

  PipeEnds pipe_;
};

}  // namespace belljar::door::cli
