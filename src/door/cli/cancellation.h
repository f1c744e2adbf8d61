// Cancellation: a descriptor that becomes readable when the caller wants the end (SIGINT, SIGTERM
// or SIGHUP). While it lives those signals do nothing else; after it they end the process again.
// One at a time.
#pragma once

#include "base/fd.h"
#include "base/result.h"
#include "base/sys.h"

namespace belljar::cmd {

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

}  // namespace belljar::cmd
