// Events: what happens in this daemon, for whoever listens now.
//
// A listener hears of its own caller's runs and sessions only. Nothing is kept for those who come
// later: the history and the audit log are. A listener that does not keep up loses events, and is
// told how many; it never makes anybody wait.
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

    // The next event as JSON text; nothing when none came in time.
    std::optional<std::string> Next(std::chrono::milliseconds patience);

   private:
    friend class Events;
    Events& bus_;
    std::string caller_;
    std::deque<std::string> waiting_;
    std::size_t lost_ = 0;
  };

  // `event` is one word, `object` what it is about; both go to the listeners of `caller`.
  void Publish(const std::string& caller, std::string_view event, json::object object);

  // Waits until something has been published since `seen`, which it brings up to date, or for
  // `patience`. False once the bus is closed.
  bool Await(std::uint64_t& seen, std::chrono::milliseconds patience);

  // Nobody waits any more: Next() and Await() return at once.
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
