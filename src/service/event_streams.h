// EventStreams: everybody who listens to /v1/events, served by one thread.
//
// A listener stays for hours and mostly hears nothing. A thread for each would be taken from those
// that serve requests, and a few dozen listeners would leave none; so one thread goes round them
// all, and never waits for one that does not keep up. There are only so many for all, and for one
// caller. A beat now and then tells both sides that the other is there. Once a second it is asked
// whether a listener may still listen: who has been put out hears that, and nothing more.
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

  // An error: it may not, any more.
  using MayListen = std::function<Result<>(const http::server::Request&)>;

  // Answers it, from now on until its client goes or `may_listen` says no.
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
    std::optional<std::string> unsent;  // there was no room for it
    Steady::time_point told = Steady::now();
  };

  Result<> CheckRoom(const std::string& caller) const;
  static bool Tell(Listener& listener);     // false: it has gone
  static bool MayStay(Listener& listener);  // false: it has been told why not
  void Serve(const std::stop_token& stop);
  void EndAll();

  Events& bus_;
  std::mutex mutex_;
  std::list<Listener> listeners_;
  bool ended_ = false;
  std::jthread thread_;
};

}  // namespace belljar::service
