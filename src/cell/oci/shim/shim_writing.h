// Writing to descriptors whose readers are slow.
#pragma once

#include <errno.h>
#include <poll.h>
#include <unistd.h>

#include <string>

namespace belljar::cell::oci {

// Waits until `fd` is writable. The container's stdout may be non-blocking: its creator decides.
inline void AwaitRoom(int fd) {
  pollfd room{fd, POLLOUT, 0};
  ::poll(&room, 1, -1);
  errno = EAGAIN;
}

inline void WriteWhole(int fd, const char* bytes, std::size_t size) {
  while (size > 0) {
    const ssize_t n = ::write(fd, bytes, size);
    if (n < 0 && errno == EAGAIN) AwaitRoom(fd);
    if (n < 0 && (errno == EINTR || errno == EAGAIN)) continue;
    if (n <= 0) ::_exit(0);
    bytes += n;
    size -= static_cast<std::size_t>(n);
  }
}

// Bytes that wait for a descriptor whose reader is slow.
struct Waiting {
  std::string bytes;
  bool closes = false;  // the descriptor is closed after the last of them

  // False: the reading end is closed.
  bool Write(int fd) {
    while (!bytes.empty()) {
      const ssize_t n = ::write(fd, bytes.data(), bytes.size());
      if (n < 0 && errno == EINTR) continue;
      if (n < 0) return errno == EAGAIN;
      bytes.erase(0, static_cast<std::size_t>(n));
    }
    return true;
  }
};

}  // namespace belljar::cell::oci
