// Carried: the stream of one container and the relay's ends of its guest's channels. The relay's
// thread works on it.
#pragma once

#include <poll.h>

#include <array>
#include <atomic>
#include <mutex>
#include <optional>
#include <span>
#include <string>

#include "cell/oci/host/stream_framing.h"
#include "cell/oci/host/unread_output.h"
#include "cell/oci/shim/tunnelled_connections.h"
#include "foundation/base/ending.h"
#include "foundation/base/fd.h"

namespace belljar::cell::oci {

class Carried {
 public:
  struct Parts {
    Fd in;
    Fd out;
    Fd control;
    Fd stdin_pipe;   // read here
    Fd stdout_pipe;  // written here
    Fd stderr_pipe;
    Fd ended;   // an eventfd
    Fd hushed;  // another eventfd: signals that hushed() has changed
    std::array<Fd, kListenerCount>
        ways;  // to the outer sockets of the cell's listeners; the others are empty
    Framing framing = Framing::kPlain;
  };
  explicit Carried(Parts parts);

  // Prepare() appends the descriptors to poll; Serve() gets the same entries back. Both are called
  // on the relay's thread only.
  void Prepare(std::vector<pollfd>& polled);
  void Serve(std::span<const pollfd> polled);

  // From any thread; the relay must be woken.
  void AskInterrupt() { interrupts_.fetch_add(1); }
  // Asks the container to be silent. Returns the number that hushed() has once the container sends
  // nothing more and all that it has sent is in the pipes.
  std::uint32_t AskHush() { return hush_asked_.fetch_add(1) + 1; }
  std::uint32_t hushed() const { return hushed_.load(); }
  // Ends the silence; `first` is printed before any other output.
  void AskSpeak(Unread first);
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
  bool HasRoom() const;
  void Send(Channel channel, std::string_view payload);
  void ReadStream();
  void ReadControl();
  void ReadStdin();
  Result<> Take(Channel channel, std::string_view payload);
  Result<> TakeEnd(std::string_view payload);
  Result<> TakeOpen(std::string_view payload);
  Result<> TakeHushed(std::string_view payload);
  void SayWhatWasAsked();
  void TellHushed();
  void Connect();
  void Flush();
  void TellEnd();

  Parts parts_;
  PieceReader reader_;
  Outlet to_stream_;
  Outlet to_control_;
  Outlet to_stdout_;
  Outlet to_stderr_;
  Crossings crossings_;
  std::atomic<int> interrupts_{0};
  std::atomic<std::uint32_t> hush_asked_{0};
  std::uint32_t hush_sent_ = 0;
  std::uint32_t hush_heard_ = 0;
  std::atomic<std::uint32_t> hushed_{0};
  bool stdin_may_flow_ = true;
  bool over_ = false;  // the container sends nothing more
  mutable std::mutex mutex_;
  std::optional<Unread> speak_;
  Ending ending_{{}, 9};  // killed, until the container reports its end
  std::string errors_;
};

}  // namespace belljar::cell::oci
