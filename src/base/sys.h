// System calls, through one door: every failure becomes an Error that names the call and the
// object, everything is close-on-exec, and interrupted calls are repeated.
#pragma once

#include <sys/types.h>

#include <cerrno>
#include <chrono>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/fd.h"
#include "base/result.h"

namespace belljar {

// An Error for a system call that has just failed with `sys`.
Error SysError(std::string_view name, std::string_view object, int sys);

// Repeats `call` while it is interrupted; a negative result becomes an Error.
template <class Call>
Result<long> Check(std::string_view name, std::string_view object, Call call) {
  for (;;) {
    const long result = call();
    if (result >= 0) return result;
    const int err = errno;
    if (err == EINTR) continue;
    return SysError(name, object, err);
  }
}

Result<Fd> Open(const std::string& path, int flags, mode_t mode = 0);

// Opens `path` below `dir`. No "..", absolute path, symbolic link or mount point on the way can
// lead anywhere else: the kernel refuses them (openat2, RESOLVE_BENEATH | NO_SYMLINKS |
// NO_MAGICLINKS | NO_XDEV). The only way to open a path that a guest or a caller has named.
Result<Fd> OpenBeneath(const Fd& dir, const std::string& path, int flags, mode_t mode = 0);

// Creates the directories of `path` (all its components) below `dir`, and opens the last one.
Result<Fd> MakeDirsBeneath(const Fd& dir, const std::string& path, mode_t mode);

struct PipeEnds {
  Fd read;
  Fd write;
};
Result<PipeEnds> MakePipe();

struct SocketEnds {
  Fd ours;
  Fd theirs;
};
// A connected pair of Unix sockets of `type` (SOCK_STREAM or SOCK_SEQPACKET).
Result<SocketEnds> MakeSocketPair(int type);

Result<> SetNonBlocking(const Fd& fd);

// Reads until end of file. More than `cap` bytes is an error, not a truncation.
Result<std::string> ReadAll(const Fd& fd, std::size_t cap, std::string_view what);
Result<std::string> ReadFile(const std::string& path, std::size_t cap);
Result<> WriteAll(const Fd& fd, std::string_view bytes, std::string_view what);

// One write() of the whole text to an existing file, as kernel control files want it.
Result<> WriteControl(const Fd& dir, const std::string& name, std::string_view text);
// The content of a small kernel file below `dir`, without the trailing newline.
Result<std::string> ReadControl(const Fd& dir, const std::string& name);

// One message with descriptors on a Unix socket.
Result<> SendWithFds(const Fd& socket, std::span<const std::byte> message,
                     std::span<const int> fds);
struct Received {
  std::string bytes;  // empty: the other side has closed
  std::vector<Fd> fds;
};
// Receives at most `max_bytes` and `max_fds`; surplus descriptors are closed by the kernel and
// the message is refused.
Result<Received> ReceiveWithFds(const Fd& socket, std::size_t max_bytes, std::size_t max_fds);

// True when `fd` became readable (or hung up) before `timeout`; negative waits for ever.
Result<bool> WaitReadable(const Fd& fd, std::chrono::milliseconds timeout);

}  // namespace belljar
