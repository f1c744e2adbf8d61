#include "cell/guest/python/guest_control.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

#include "foundation/base/bytes.h"

namespace belljar::cell::guest {
namespace {

constexpr int kExitNoRun = 4;
constexpr int kExitBadRun = 5;
constexpr std::int64_t kSendMillis = 1000;
constexpr int kIdleMillis = 4;

struct Control {
  int fd = -1;
  long pid = 0;
  dev_t dev = 0;
  ino_t ino = 0;
};
Control control;
Received received;
pthread_mutex_t sending = PTHREAD_MUTEX_INITIALIZER;

// Not glibc's getpid(), which may return the parent's pid after a raw clone.
long Pid() { return ::syscall(SYS_getpid); }

bool IsStillOurs() {
  struct stat status {};
  return ::fstat(control.fd, &status) == 0 && status.st_dev == control.dev &&
         status.st_ino == control.ino;
}

void CloseInChild() {
  if (IsStillOurs()) ::close(control.fd);
}

std::int64_t NowMillis() {
  timespec now{};
  ::clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * 1000 + now.tv_nsec / 1'000'000;
}

// Waits until there is room to write; false after the deadline.
bool AwaitRoom(Patience patience, std::int64_t deadline) {
  pollfd room{control.fd, POLLOUT, 0};
  if (patience == Patience::kEndless) {
    return ::poll(&room, 1, -1) > 0 || errno == EINTR;
  }
  const std::int64_t left = deadline - NowMillis();
  return left > 0 && ::poll(&room, 1, static_cast<int>(left)) > 0;
}

// Skips the first `written` bytes of the two pieces.
void Advance(iovec (&pieces)[2], std::size_t written) {
  for (iovec& piece : pieces) {
    const std::size_t part = written < piece.iov_len ? written : piece.iov_len;
    piece.iov_base = static_cast<char*>(piece.iov_base) + part;
    piece.iov_len -= part;
    written -= part;
  }
}

// Does not block, even if the descriptor is in blocking mode: MSG_DONTWAIT applies to this call.
ssize_t WriteSome(iovec (&pieces)[2]) {
  msghdr header{};
  header.msg_iov = pieces;
  header.msg_iovlen = 2;
  return ::sendmsg(control.fd, &header, MSG_DONTWAIT | MSG_NOSIGNAL);
}

// For streams other than sockets, which are switched to non-blocking mode meanwhile.
ssize_t WriteSomeToOther(iovec (&pieces)[2]) {
  const int flags = ::fcntl(control.fd, F_GETFL);
  if (flags < 0 || ::fcntl(control.fd, F_SETFL, flags | O_NONBLOCK) != 0) return -1;
  const ssize_t n = ::writev(control.fd, pieces, 2);
  const int failure = errno;
  ::fcntl(control.fd, F_SETFL, flags);
  errno = failure;
  return n;
}

void WriteAll(iovec (&pieces)[2], Patience patience) {
  const std::int64_t deadline = NowMillis() + kSendMillis;
  while (pieces[0].iov_len + pieces[1].iov_len > 0) {
    ssize_t n = WriteSome(pieces);
    if (n < 0 && errno == ENOTSOCK) n = WriteSomeToOther(pieces);
    if (n >= 0) {
      Advance(pieces, static_cast<std::size_t>(n));
    } else if (errno != EINTR && (errno != EAGAIN || !AwaitRoom(patience, deadline))) {
      return;
    }
  }
}

}  // namespace

void OpenControl(int fd) {
  control.fd = fd;
  ResumeControl();
  if (::pthread_atfork(nullptr, nullptr, CloseInChild) != 0) ::_exit(kExitNoRun);
}

void ResumeControl() {
  struct stat status {};
  if (::fcntl(control.fd, F_SETFD, FD_CLOEXEC) != 0 || ::fstat(control.fd, &status) != 0) {
    ::_exit(kExitNoRun);
  }
  control = {control.fd, Pid(), status.st_dev, status.st_ino};
  received = {};
}

Received TakeReceived() {
  const Received taken = received;
  received = {};
  return taken;
}

// Waits in poll(), which sleeps until there is something to read. A wait in recvmsg() is also
// woken, uselessly and at the other side's cost, when the other side has read what was sent to it.
// A raw call, because a deterministic run replaces glibc's poll().
ssize_t ReadControl(char* bytes, std::size_t size) {
  pollfd come{control.fd, POLLIN, 0};
  if (::syscall(SYS_poll, &come, 1, -1) < 0) return -1;
  iovec io{bytes, size};
  alignas(cmsghdr) char rights[CMSG_SPACE(sizeof(Received))];
  msghdr header{};
  header.msg_iov = &io;
  header.msg_iovlen = 1;
  header.msg_control = rights;
  header.msg_controllen = sizeof(rights);
  ssize_t n = ::recvmsg(control.fd, &header, MSG_CMSG_CLOEXEC);
  // Streams other than sockets carry no descriptors.
  if (n < 0 && errno == ENOTSOCK) n = ::read(control.fd, bytes, size);
  const cmsghdr* const came = n > 0 ? CMSG_FIRSTHDR(&header) : nullptr;
  if (came != nullptr && came->cmsg_level == SOL_SOCKET && came->cmsg_type == SCM_RIGHTS) {
    if (received.file >= 0) ::close(received.file);
    if (received.base >= 0) ::close(received.base);
    received = {};
    const std::size_t bytes = came->cmsg_len - CMSG_LEN(0);
    ::memcpy(&received, CMSG_DATA(came), bytes < sizeof(received) ? bytes : sizeof(received));
  }
  return n;
}

bool NobodyAsks() {
  pollfd asked{control.fd, POLLIN, 0};
  return ::poll(&asked, 1, kIdleMillis) == 0;
}

void ReadAsked(char* payload, std::size_t size) {
  while (size > 0) {
    const ssize_t n = ReadControl(payload, size);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) ::_exit(kExitNoRun);
    payload += n;
    size -= static_cast<std::size_t>(n);
  }
}

AskedHeader ReadAskedHeader(std::size_t max) {
  char header[5];
  ReadAsked(header, sizeof(header));
  const std::size_t size = LoadNumber(ByteOrder::kLittle, {header, 4});
  const FrameType type{static_cast<std::uint8_t>(header[4])};
  const bool known =
      type == FrameType::kRun || type == FrameType::kSession || type == FrameType::kRestore;
  if (!known || size > max) ::_exit(kExitBadRun);
  return {type, size};
}

void SendControl(FrameType type, const char* payload, std::size_t size, Patience patience) {
  // Checked before the lock: in a forked child, a thread that no longer exists may hold it.
  if (Pid() != control.pid || !IsStillOurs()) return;
  ::pthread_mutex_lock(&sending);
  char header[5] = {0, 0, 0, 0, static_cast<char>(type)};
  StoreNumber(ByteOrder::kLittle, size, {header, 4});
  iovec pieces[2] = {{header, sizeof(header)}, {const_cast<char*>(payload), size}};
  WriteAll(pieces, patience);
  ::pthread_mutex_unlock(&sending);
}

}  // namespace belljar::cell::guest
