// Carried: one container's stream and the ends of its guest's channels, as the relay's thread works
// on them.
#pragma once

#include <poll.h>

#include <array>
#include <atomic>
#include <mutex>
#include <span>
#include <string>

#include "base/ending.h"
#include "base/fd.h"
#include "isolate/oci/pieces.h"

namespace belljar::isolate {

class Carried {
 public:
  struct Parts {
    Fd in;
    Fd out;
    Fd control;
    Fd stdin_pipe;   // to be read
    Fd stdout_pipe;  // to be written
    Fd stderr_pipe;
    Fd ended;  // an eventfd
    Framing framing = Framing::kPlain;
  };
  explicit Carried(Parts parts) : parts_(std::move(parts)), reader_(parts_.framing) {}

  static constexpr std::size_t kSlots = 6;
  using Slots = std::span<pollfd, kSlots>;

  // What is waited for, and what to do when it has come. On the relay's thread only.
  void Prepare(Slots slots);
  void Serve(Slots slots);

  // From any thread; the relay must be woken.
  void AskInterrupt() { interrupts_.fetch_add(1); }
  Ending ending() const;
  std::string errors() const;

 private:
  // Bytes that wait for a reader.
  struct Outlet {
    std::string bytes;
    void Write(Fd& fd);
  };

  bool Full() const;
  bool Empty() const;
  bool PrintsWait() const;
  void Send(Channel channel, std::string_view payload);
  void ReadStream();
  void ReadControl();
  void ReadStdin();
  Result<> Take(Channel channel, std::string_view payload);
  void Flush();
  void TellEnd();

  Parts parts_;
  PieceReader reader_;
  Outlet to_stream_;
  Outlet to_control_;
  Outlet to_stdout_;
  Outlet to_stderr_;
  std::atomic<int> interrupts_{0};
  bool stdin_may_flow_ = true;
  bool over_ = false;  // nothing more comes from the container
  mutable std::mutex mutex_;
  Ending ending_{{}, 9};  // until it is told
  std::string errors_;
};

}  // namespace belljar::isolate
