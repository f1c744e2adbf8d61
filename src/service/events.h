// Events: an in-memory event bus of the daemon for current listeners.
//
// A listener receives events of its own caller's runs and sessions only. Events are not stored: the
// history and the audit log are for later readers. A listener that is too slow loses events and is
// told how many; it never blocks a publisher.
//
// Thread-safe. The bus must outlive its subscriptions.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <list>
#include <mutex>
#include <optional>
#include <string>

#include "foundation/base/json.h"

namespace belljar::service {

class Events {
 public:
  class Subscription {
   public:
    Subscription(Events& bus, std::string caller);
    ~Subscription();
    Subscription(const Subscription&) = delete;
    Subscription& operator=(const Subscription&) = delete;

    // The next event as JSON text; nullopt when none came within `patience`.
    std::optional<std::string> Next(std::chrono::milliseconds patience);

   private:
    friend class Events;
    Events& bus_;
    std::string caller_;
    std::deque<std::string> waiting_;
    std::size_t lost_ = 0;
  };

  // `event` is one word, `object` describes it; both are sent to the listeners of `caller`.
  void Publish(const std::string& caller, std::string_view event, json::object object);

  // Waits until an event has been published since `seen` (which is updated), at most for
  // `patience`. False once the bus is closed.
  bool Await(std::uint64_t& seen, std::chrono::milliseconds patience);

  // Makes all current and later calls of Next() and Await() return at once.
  void Close();

  static constexpr std::size_t kMostWaiting = 1'000;

 private:
  std::mutex mutex_;
  std::condition_variable came_;
  std::list<Subscription*> listeners_;
  std::uint64_t published_ = 0;
  bool closed_ = false;
};

}  // namespace belljar::service
