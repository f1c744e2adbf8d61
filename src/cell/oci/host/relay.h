// Relay: the supervisor's end of container streams. One thread serves all of them.
//
// To the code above it, a guest in a container looks like any other: a control socket, three pipes,
// a descriptor that becomes readable at its end, and a listening socket for each of its listeners.
// The alternative, a supervisor loop that reads container streams itself, was rejected: it would
// duplicate all the code above cells.
//
// Output of the guest that is not read is buffered up to a bound; beyond it the container's stream
// is not read (backpressure), so its shim blocks as a program does at a full pipe. A piece that
// breaks the rules ends the connection to the container, as does the end of the stream; a guest
// whose end was not reported counts as killed.
//
// Thread-safe. The relay must outlive its lines.
#pragma once

#include <array>
#include <chrono>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <thread>

#include "cell/listener_places.h"
#include "cell/oci/host/stream_framing.h"
#include "cell/oci/host/unread_output.h"
#include "foundation/base/ending.h"
#include "foundation/base/fd.h"
#include "foundation/base/result.h"

namespace belljar::cell::oci {

// The ends of a guest's channels that the engine holds.
struct CarriedEnds {
  Fd control;
  Fd stdin_pipe;
  Fd stdout_pipe;
  Fd stderr_pipe;
  Fd ended;   // readable once the guest has ended and all its output is in the pipes
  Fd hushed;  // readable when Line::Hush has to look at its state again
  std::array<Fd, kListenerCount> listeners;  // connections to them come from the container
};

// The shim's argument that names a cell's listeners.
std::string ListenerWord(const std::set<CellListener>& listeners);

class Carried;

class Relay {
 public:
  static Result<std::unique_ptr<Relay>> Create();
  ~Relay();
  Relay(const Relay&) = delete;
  Relay& operator=(const Relay&) = delete;

  // One guest that the relay serves. Removed from the relay when it is destroyed.
  class Line {
   public:
    Line(Relay& relay, int id, std::shared_ptr<Carried> carried, CarriedEnds ends);
    Line(const Line&) = delete;
    Line& operator=(const Line&) = delete;
    ~Line();

    CarriedEnds& ends() { return ends_; }
    const CarriedEnds& ends() const { return ends_; }
    int id() const { return id_; }
    void Interrupt();
    // Silences the container: when this returns, it sends nothing more until Speak(). Returns its
    // unread output. After an error the container is not silenced and goes on as before.
    Result<Unread> Hush(std::chrono::milliseconds patience);
    // Ends the silence; `first` is read before any other output.
    void Speak(Unread first);
    // How the guest ended; killed if no end was reported.
    Ending ending() const;
    // The error output of the runtime itself, if the stream carries it (Framing::kDocker).
    std::string errors() const;

   private:
    // Appends what is in the pipes to `unread`; false: it exceeds kMostUnread.
    bool Drain(Unread& unread);

    Relay& relay_;
    int id_;
    std::shared_ptr<Carried> carried_;
    CarriedEnds ends_;
  };

  // The container's stream, for reading and writing; both may be the same open socket. If `errors`
  // is not null, it receives another writing end of the guest's stderr, for the runtime's own error
  // output. `listeners` are those that the shim was given; it may use no others.
  struct Stream {
    Fd in;
    Fd out;
    Framing framing = Framing::kPlain;
    Fd* errors = nullptr;
    std::set<CellListener> listeners{};
  };
  Result<std::unique_ptr<Line>> Add(Stream stream);

 private:
  explicit Relay(Fd wake);
  void Run();
  void Remove(int id);
  // Wakes the thread, which then looks for new lines and new requests.
  void Wake();

  Fd wake_;
  std::mutex mutex_;
  std::map<int, std::shared_ptr<Carried>> carried_;
  int next_ = 1;
  bool stopping_ = false;
  std::thread thread_;
};

}  // namespace belljar::cell::oci
