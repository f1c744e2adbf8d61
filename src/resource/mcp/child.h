// Child: a child process that runs a program named by the operator, with pipes to its standard
// streams.
//
// It has a session (setsid) and an environment of its own, and no other descriptors than its three
// streams. A parent-death signal (SIGKILL) ends it when the thread that started it ends, so that a
// daemon that was killed leaves no child behind; therefore that thread must live as long as the
// Child. The child's own descendants end with it if it runs under a keeper (keeper.h); otherwise
// only those in its process group do.
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

#include "foundation/base/fd.h"
#include "foundation/base/result.h"

namespace belljar::resource::mcp {

struct Command {
  std::vector<std::string> words;        // the program and its arguments
  std::vector<std::string> environment;  // "NAME=value"
  std::vector<std::string> keeper{};     // the keeper program and its first arguments; may be empty
};

class Child {
 public:
  static Result<Child> Start(const Command& command);
  Child() = default;
  Child(Child&&) noexcept = default;
  Child& operator=(Child&&) = delete;
  // Closes the child's standard input, gives it a moment to exit, then kills it with its
  // descendants.
  ~Child();

  const Fd& input() const { return input_; }  // the write end; non-blocking
  const Fd& output() const { return output_; }
  const Fd& errors() const { return errors_; }
  // The pidfd: readable when the child has exited, even if other processes hold its streams open.
  const Fd& process() const { return pidfd_; }

 private:
  void Stop() const;

  pid_t pid_ = -1;
  bool kept_ = false;
  Fd pidfd_;
  Fd input_, output_, errors_;
};

}  // namespace belljar::resource::mcp
