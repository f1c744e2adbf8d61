// ConnectionLimit: limits the number of connections, in total and per peer.
//
// Thread-safe. ConnectionLimit must outlive the seats it hands out.
#pragma once

#include <cstddef>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <utility>

namespace belljar::http::server {

class ConnectionLimit;

// One counted connection; the destructor releases its place.
class Seat {
 public:
  Seat(ConnectionLimit& seats, std::string peer) : seats_(&seats), peer_(std::move(peer)) {}
  Seat(Seat&& other) noexcept
      : seats_(std::exchange(other.seats_, nullptr)), peer_(std::move(other.peer_)) {}
  Seat& operator=(Seat&&) = delete;
  ~Seat();

 private:
  ConnectionLimit* seats_;
  std::string peer_;
};

class ConnectionLimit {
 public:
  ConnectionLimit(std::size_t in_all, std::size_t per_peer)
      : in_all_(in_all), per_peer_(per_peer) {}

  // nullopt if all places, or all of this peer, are taken.
  std::optional<Seat> Take(const std::string& peer) {
    const std::lock_guard lock(mutex_);
    if (taken_ >= in_all_) return std::nullopt;
    const auto [entry, fresh] = by_peer_.try_emplace(peer, 0);
    if (entry->second >= per_peer_) {
      if (fresh) by_peer_.erase(entry);
      return std::nullopt;
    }
    ++entry->second;
    ++taken_;
    return std::optional<Seat>(std::in_place, *this, peer);
  }

  std::size_t taken() const {
    const std::lock_guard lock(mutex_);
    return taken_;
  }

 private:
  friend class Seat;
  void Return(const std::string& peer) {
    const std::lock_guard lock(mutex_);
    --taken_;
    if (--by_peer_[peer] == 0) by_peer_.erase(peer);
  }

  const std::size_t in_all_;
  const std::size_t per_peer_;
  mutable std::mutex mutex_;
  std::size_t taken_ = 0;
  std::map<std::string, std::size_t> by_peer_;
};

inline Seat::~Seat() {
  if (seats_ != nullptr) seats_->Return(peer_);
}

}  // namespace belljar::http::server
