// OutputPump: a program's output on its way to a caller who may be slow to read, without a thread.
//
// Whoever waits for more output polls waits_for() beside its other descriptors and calls
// WriteSome() when it can be written to: a pipe or terminal that poll() calls writable takes a
// piece of this size without blocking. So a reader that stands still does not keep anybody from
// hearing the daemon. What is held is bounded by the run's own output limit.
#pragma once

#include <deque>
#include <string>
#include <utility>

#include "door/cli/terminal.h"

namespace belljar::door::cli {

class OutputPump {
 public:
  void Push(int fd, std::string bytes);
  // The descriptor that the next piece goes to, or -1 when there is none.
  int waits_for() const { return pieces_.empty() ? -1 : pieces_.front().first; }
  void WriteSome();
  // Writes the rest, however long that takes.
  void Finish();
  Result<> Written() const { return terminal_.Written(); }

 private:
  TerminalOutput terminal_;
  std::deque<std::pair<int, std::string>> pieces_;
  std::size_t written_ = 0;  // of the first piece
};

}  // namespace belljar::door::cli
