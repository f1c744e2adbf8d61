// Egress: the HTTP and HTTPS proxy that is the only network access of cells.
//
// A cell with an egress listener has a listening socket in its own network namespace, and no other
// network access. Its connections are served here, outside the cell, on one thread for all cells.
// Each request is parsed strictly, checked against the cell's terms, and its host is resolved. The
// connection goes to exactly the address that was checked to be public; the name is not resolved a
// second time. TLS passes through unchanged, once its ClientHello has named the host that the
// tunnel was requested for.
//
// Completed calls are reported in batches and in order to `on_calls`, on a thread that may block.
// If they cannot be recorded, the cell's listener is closed. docs/broker.md describes the controls
// and limits.
//
// Thread-safe. CellListeners must not outlive the Egress.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <span>

#include "foundation/base/fd.h"
#include "foundation/base/result.h"
#include "resource/egress/resolve.h"
#include "resource/egress/terms.h"

namespace belljar::resource::egress {

using OnCalls = std::function<Result<>(std::span<const Call>)>;

// Limits on one cell's connections; tests shorten the times.
struct EgressLimits {
  std::size_t connections = 64;
  // For the request head, from the start of the connection.
  std::chrono::milliseconds head_time{10'000};
  std::chrono::milliseconds connect_time{10'000};  // including name resolution and TLS
  std::chrono::milliseconds quiet_time{60'000};    // without a byte in either direction
  std::chrono::milliseconds look{250};             // interval of the checks for these timeouts
};

struct ListenerState;
struct EgressLoop;

// The network access of one cell, for the lifetime of this object.
class EgressListener {
 public:
  explicit EgressListener(std::shared_ptr<ListenerState> state);
  ~EgressListener();
  EgressListener(const EgressListener&) = delete;
  EgressListener& operator=(const EgressListener&) = delete;

  // Closes all connections and refuses new ones. When it returns, none is open.
  void Revoke();
  // Reduces the terms to those also in `now` (broker/narrow.h). When it returns, no connection is
  // open whose host, address or method is no longer allowed.
  void Narrow(const EgressTerms& now);
  // Closes all connections; when it returns, the last call has been recorded.
  void Close();
  // Waits until all completed calls have been recorded.
  void Flush();
  // The number of calls begun, including refused ones.
  std::uint64_t calls() const;

 private:
  std::shared_ptr<ListenerState> state_;  // shared with the connections
};

class Egress {
 public:
  struct Options {
    Resolve resolve = SystemResolve;
    EgressLimits limits;
    TestSwitches left_out;
  };
  static Result<std::unique_ptr<Egress>> Create(Options options);
  ~Egress();

  // Serves the connections of a duplicate of `listener`.
  Result<std::unique_ptr<EgressListener>> Open(const Fd& listener, EgressTerms terms,
                                               OnCalls on_calls);

 private:
  explicit Egress(std::unique_ptr<EgressLoop> loop);
  std::unique_ptr<EgressLoop> loop_;
};

}  // namespace belljar::resource::egress
