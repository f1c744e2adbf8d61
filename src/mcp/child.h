// Child: a program that the operator has named, started with pipes to it.
//
// It leads a session of its own; it gets the environment it is given and no other, and no
// descriptor but its three streams. It is sent SIGKILL when the thread that started it ends, so
// that a daemon which was killed leaves none behind: who starts one lives as long as it. What it
// starts itself ends with it where there is a keeper (keeper.h) between; else what is of its group
// does.
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

#include "base/fd.h"
#include "base/result.h"

namespace belljar::mcp {

struct Command {
  std::vector<std::string> words;        // the program and its arguments
  std::vector<std::string> environment;  // "NAME=value"
  std::vector<std::string> keeper{};     // the program that keeps it, and its first words
};

class Child {
 public:
  static Result<Child> Start(const Command& command);
  Child() = default;
  Child(Child&&) noexcept = default;
  Child& operator=(Child&&) = delete;
  // Closes its input; what has not ended a moment later is killed, with all it has started.
  ~Child();

  const Fd& input() const { return input_; }  // ours to write to; does not block
  const Fd& output() const { return output_; }
  const Fd& errors() const { return errors_; }
  // Readable when it has ended, whoever still holds the other ends of its streams.
  const Fd& process() const { return pidfd_; }

 private:
  void Stop() const;

  pid_t pid_ = -1;
  bool kept_ = false;
  Fd pidfd_;
  Fd input_, output_, errors_;
};

}  // namespace belljar::mcp
