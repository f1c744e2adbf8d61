// EventStreams: serves all listeners of /v1/events with one thread.
//
// A listener stays for hours and mostly receives nothing. One thread per listener would use up the
// threads that serve requests. So one thread serves all listeners in turn, with non-blocking
// writes. The number of listeners is bounded, in total and per caller. A periodic heartbeat lets
// both sides notice a broken connection. Once a second each listener's permission is checked again:
// a caller that was removed gets a last message, and its stream ends.
//
// Thread-safe. The bus must outlive this; listeners end when it is closed.
#pragma once

#include <chrono>
#include <functional>
#include <list>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

#include "foundation/http/server/exchange.h"
#include "service/events.h"

namespace belljar::service {

class EventStreams {
 public:
  static constexpr std::size_t kMost = 1'000;
  static constexpr std::size_t kMostOfOne = 100;

  explicit EventStreams(Events& bus);

  // An error: the caller may no longer listen.
  using MayListen = std::function<Result<>(const http::server::Request&)>;

  // Streams events to the client until it disconnects or `may_listen` fails.
  void Add(http::server::Exchange exchange, http::server::StreamKind kind, MayListen may_listen);

 private:
  using Steady = std::chrono::steady_clock;
  struct Listener {
    Listener(Events& bus, http::server::Exchange answered, MayListen may)
        : exchange(std::move(answered)),
          may_listen(std::move(may)),
          heard(bus, exchange.principal().name) {}

    http::server::Exchange exchange;
    MayListen may_listen;
    Steady::time_point asked = Steady::now();
    Events::Subscription heard;
    std::optional<std::string> unsent;  // the socket's buffer was full
    Steady::time_point told = Steady::now();
  };

  Result<> CheckRoom(const std::string& caller) const;
  static bool Tell(Listener& listener);     // false: the client has disconnected
  static bool MayStay(Listener& listener);  // false: it has been sent the reason
  void Serve(const std::stop_token& stop);
  void EndAll();

  Events& bus_;
  std::mutex mutex_;
  std::list<Listener> listeners_;
  bool ended_ = false;
  std::jthread thread_;
};

}  // namespace belljar::service
