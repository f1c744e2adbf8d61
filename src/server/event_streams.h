// EventStreams: everybody who listens to /v1/events, served by one thread.
//
// A listener stays for hours and mostly hears nothing. A thread for each would be taken from those
// that serve requests, and a few dozen listeners would leave none; so one thread goes round them
// all, and never waits for one that does not keep up. There are only so many for all, and for one
// caller. A beat now and then tells both sides that the other is there.
//
// Thread-safe. The bus must outlive this; listeners end when it is closed.
#pragma once

#include <chrono>
#include <list>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

#include "http/exchange.h"
#include "server/events.h"

namespace belljar::server {

class EventStreams {
 public:
  static constexpr std::size_t kMost = 1'000;
  static constexpr std::size_t kMostOfOne = 100;

  explicit EventStreams(Events& bus);

  // Answers it, from now on until its client goes.
  void Add(http::Exchange exchange, http::StreamKind kind);

 private:
  using Steady = std::chrono::steady_clock;
  struct Listener {
    Listener(Events& bus, http::Exchange answered)
        : exchange(std::move(answered)), heard(bus, exchange.principal().name) {}

    http::Exchange exchange;
    Events::Subscription heard;
    std::optional<std::string> unsent;  // there was no room for it
    Steady::time_point told = Steady::now();
  };

  Result<> CheckRoom(const std::string& caller) const;
  static bool Tell(Listener& listener);  // false: it has gone
  void Serve(const std::stop_token& stop);
  void EndAll();

  Events& bus_;
  std::mutex mutex_;
  std::list<Listener> listeners_;
  bool ended_ = false;
  std::jthread thread_;
};

}  // namespace belljar::server
