// Relay: the supervisor's end of container streams. One thread carries all of them.
//
// Above it a contained guest looks like any other: a control socket, three pipes, a descriptor that
// becomes readable at its end, and a listener for each of its listeners. The rejected way, a watch
// that reads container streams itself, would have made two of everything that stands above cells.
//
// What the guest sends and nobody takes is kept up to a bound, and then the container's stream is
// not read: its shim waits, as a program waits at a full pipe. A piece that breaks the rules ends
// the carrying, and so does the end of the stream; a guest whose end was not told was killed.
//
// Thread-safe. The relay must outlive what it carries.
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

// The ends of a contained guest that the engine holds.
struct CarriedEnds {
  Fd control;
  Fd stdin_pipe;
  Fd stdout_pipe;
  Fd stderr_pipe;
  Fd ended;   // readable once the guest has ended and all it said is in the pipes
  Fd hushed;  // readable when Line::Hush has something to look at
  std::array<Fd, kListenerCount> listeners;  // listeners; who connects to one is in the container
};

// What a shim is told of a cell's listeners, as one of its arguments.
std::string ListenerWord(const std::set<CellListener>& listeners);

class Carried;

class Relay {
 public:
  static Result<std::unique_ptr<Relay>> Create();
  ~Relay();
  Relay(const Relay&) = delete;
  Relay& operator=(const Relay&) = delete;

  // One guest that is being carried. Taken off the relay when it is destroyed.
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
    // The container says nothing more when this returns, until Speak(). What it had said by then
    // and nobody had read. An error is a refusal by name, and it goes on as before.
    Result<Unread> Hush(std::chrono::milliseconds patience);
    // And this is read first.
    void Speak(Unread first);
    // How the guest ended; killed if nobody said.
    Ending ending() const;
    // What the runtime said about itself, where that comes on the stream.
    std::string errors() const;

   private:
    // Adds what is in the pipes; false: that is too much.
    bool Drain(Unread& unread);

    Relay& relay_;
    int id_;
    std::shared_ptr<Carried> carried_;
    CarriedEnds ends_;
  };

  // The container's stream, to be read and written; both may be the same open socket. `errors` is
  // another writing end of the guest's stderr, for the runtime's own words; may be null.
  // `listeners` are those that its shim was told of: it may speak of no others.
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
  // Makes the thread look again: at what there is to carry, and at what is to be sent.
  void Wake();

  Fd wake_;
  std::mutex mutex_;
  std::map<int, std::shared_ptr<Carried>> carried_;
  int next_ = 1;
  bool stopping_ = false;
  std::thread thread_;
};

}  // namespace belljar::cell::oci
