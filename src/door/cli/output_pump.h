// OutputPump: writes a program's output to a possibly slow reader, without blocking and without a
// thread.
//
// The owner's poll loop includes waits_for() and calls WriteSome() when it is writable: a pipe or
// terminal that poll() reports as writable accepts a piece of this size without blocking. So a slow
// reader does not delay messages from the daemon. The buffer is bounded by the run's own output
// limit.
#pragma once

#include <deque>
#include <string>
#include <utility>

#include "door/cli/terminal.h"

namespace belljar::door::cli {

class OutputPump {
 public:
  void Push(int fd, std::string bytes);
  // The descriptor for the next piece, or -1 when nothing is queued.
  int waits_for() const { return pieces_.empty() ? -1 : pieces_.front().first; }
  void WriteSome();
  // Writes the rest, blocking if needed.
  void Finish();
  Result<> Written() const { return terminal_.Written(); }

 private:
  TerminalOutput terminal_;
  std::deque<std::pair<int, std::string>> pieces_;
  std::size_t written_ = 0;  // bytes of the first piece
};

}  // namespace belljar::door::cli
