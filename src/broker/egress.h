// Egress: the way out of cells, for HTTP and HTTPS.
//
// A cell with an egress door has a listener in its own network namespace, and nothing else there.
// What connects to it is served here, outside, on one thread for all cells: the request is read as
// strictly as can be, held against the cell's terms, resolved, and connected to the very address
// that was found public; there is no second look at the name. TLS goes through as it is, once its
// ClientHello has named the host that the tunnel was asked for.
//
// Every call is told to `on_calls` when it is over, in order, on a thread of its own that may
// block, with those that have ended meanwhile; when they cannot be recorded the cell's door is
// shut. docs/broker.md has the walls and the limits.
//
// Thread-safe. Doors must not outlive the Egress.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <span>

#include "base/fd.h"
#include "base/result.h"
#include "broker/call.h"
#include "broker/resolve.h"

namespace belljar::broker {

using OnCalls = std::function<Result<>(std::span<const Call>)>;

// The bounds of one cell's connections; tests shorten the times.
struct EgressLimits {
  std::size_t connections = 64;
  std::chrono::milliseconds head_time{10'000};     // from the first moment of a connection
  std::chrono::milliseconds connect_time{10'000};  // with the resolution, and TLS
  std::chrono::milliseconds quiet_time{60'000};    // without a byte either way
  std::chrono::milliseconds look{250};             // how often those are looked at
};

struct DoorState;
struct EgressLoop;

// What one cell can reach, as long as this lives.
class EgressDoor {
 public:
  explicit EgressDoor(std::shared_ptr<DoorState> state);
  ~EgressDoor();
  EgressDoor(const EgressDoor&) = delete;
  EgressDoor& operator=(const EgressDoor&) = delete;

  // Ends every connection, and refuses new ones by name. When it returns nothing is open.
  void Revoke();
  // Takes away what `now` has not (broker/narrow.h). When it returns no connection to a host, at an
  // address or by a method that is not among those left is open.
  void Narrow(const EgressTerms& now);
  // Ends every connection; when it returns the last call has been told.
  void Close();
  // Waits until the calls that are over have been told.
  void Flush();
  // Calls that were begun, refused ones too.
  std::uint64_t calls() const;

 private:
  std::shared_ptr<DoorState> state_;  // shared with the connections
};

class Egress {
 public:
  struct Options {
    Resolve resolve = SystemResolve;
    EgressLimits limits;
    LeftOut left_out;
  };
  static Result<std::unique_ptr<Egress>> Create(Options options);
  ~Egress();

  // Serves a copy of the listener.
  Result<std::unique_ptr<EgressDoor>> Open(const Fd& listener, EgressTerms terms, OnCalls on_calls);

 private:
  explicit Egress(std::unique_ptr<EgressLoop> loop);
  std::unique_ptr<EgressLoop> loop_;
};

}  // namespace belljar::broker
