// Carried: one container's stream and the ends of its guest's channels, as the relay's thread works
// on them.
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
    Fd stdin_pipe;   // to be read
    Fd stdout_pipe;  // to be written
    Fd stderr_pipe;
    Fd ended;   // an eventfd
    Fd hushed;  // another: hushed() may be another by now
    std::array<Fd, kListenerCount>
        ways;  // to the listeners of the cell's listeners; of others none
    Framing framing = Framing::kPlain;
  };
  explicit Carried(Parts parts);

  // Appends what is waited for; what to do when it has come. On the relay's thread only.
  void Prepare(std::vector<pollfd>& polled);
  void Serve(std::span<const pollfd> polled);

  // From any thread; the relay must be woken.
  void AskInterrupt() { interrupts_.fetch_add(1); }
  // The number that hushed() will have when the container says nothing more and all that it has
  // said is in the pipes.
  std::uint32_t AskHush() { return hush_asked_.fetch_add(1) + 1; }
  std::uint32_t hushed() const { return hushed_.load(); }
  // Prints this first.
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
  bool over_ = false;  // nothing more comes from the container
  mutable std::mutex mutex_;
  std::optional<Unread> speak_;
  Ending ending_{{}, 9};  // until it is told
  std::string errors_;
};

}  // namespace belljar::cell::oci
