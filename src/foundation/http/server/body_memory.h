// BodyMemory: the share of one request body in the server's memory for bodies.
//
// Each route limits its own bodies. This limits all of them together, so that many clients with
// large bodies are refused before memory runs out. The destructor releases the share.
#pragma once

#include <atomic>
#include <cstddef>

namespace belljar::http::server {

class BodyMemory {
 public:
  BodyMemory(std::atomic<std::size_t>& taken_by_all, std::size_t most)
      : all_(taken_by_all), most_(most) {}
  BodyMemory(const BodyMemory&) = delete;
  BodyMemory& operator=(const BodyMemory&) = delete;
  ~BodyMemory() { all_ -= taken_; }

  // Increases the share to `bytes`. Returns false and takes nothing if not enough is left.
  [[nodiscard]] bool Cover(std::size_t bytes) {
    if (bytes <= taken_) return true;
    const std::size_t more = bytes - taken_;
    std::size_t before = all_;
    do {
      if (more > most_ || before > most_ - more) return false;
    } while (!all_.compare_exchange_weak(before, before + more));
    taken_ = bytes;
    return true;
  }

 private:
  std::atomic<std::size_t>& all_;
  const std::size_t most_;
  std::size_t taken_ = 0;
};

}  // namespace belljar::http::server
