// Fd: owns one file descriptor and closes it when it goes out of scope.
#pragma once

#include <unistd.h>

#include <utility>

namespace belljar {

class Fd {
 public:
  Fd() = default;
  explicit Fd(int fd) : fd_(fd) {}
  Fd(Fd&& other) noexcept : fd_(other.Release()) {}
  Fd& operator=(Fd&& other) noexcept {
    Fd incoming(std::move(other));
    std::swap(fd_, incoming.fd_);  // `incoming` now closes our old descriptor
    return *this;
  }
  // Linux frees the descriptor even when close() reports EINTR: never retry it.
  ~Fd() {
    if (fd_ >= 0) ::close(fd_);
  }

  explicit operator bool() const { return fd_ >= 0; }
  int get() const { return fd_; }
  [[nodiscard]] int Release() { return std::exchange(fd_, -1); }
  void Close() { Fd(std::move(*this)); }

 private:
  int fd_ = -1;
};

}  // namespace belljar
