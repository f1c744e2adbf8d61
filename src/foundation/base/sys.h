// Wrappers of system calls: every failure becomes an Error that names the call and the object,
// every descriptor is close-on-exec, and interrupted calls are repeated.
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

#include "foundation/base/fd.h"
#include "foundation/base/result.h"

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

// Opens `path` below `dir`. The kernel refuses "..", absolute paths, symbolic links and mount
// points that would lead elsewhere (openat2 with RESOLVE_BENEATH | NO_SYMLINKS | NO_MAGICLINKS |
// NO_XDEV). Every path that a guest or a caller has named is opened with this function.
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

// Reads until end of file. Input longer than `cap` bytes is an error, not a truncation.
Result<std::string> ReadAll(const Fd& fd, std::size_t cap, std::string_view what);
Result<std::string> ReadFile(const std::string& path, std::size_t cap);
Result<> WriteAll(const Fd& fd, std::string_view bytes, std::string_view what);

// Writes the whole text to an existing file with a single write(), as kernel control files require.
Result<> WriteControl(const Fd& dir, const std::string& name, std::string_view text);
// The content of a small kernel file below `dir`, without the trailing newline.
Result<std::string> ReadControl(const Fd& dir, const std::string& name);

// Sends one message with descriptors over a Unix socket (SCM_RIGHTS).
Result<> SendWithFds(const Fd& socket, std::span<const std::byte> message,
                     std::span<const int> fds);
struct Received {
  std::string bytes;  // empty: the peer has closed the connection
  std::vector<Fd> fds;
};
// Receives at most `max_bytes` and `max_fds`. A message that carries more is refused, and the
// kernel closes the surplus descriptors.
Result<Received> ReceiveWithFds(const Fd& socket, std::size_t max_bytes, std::size_t max_fds);

// Returns true when `fd` became readable (or hung up) before `timeout`; a negative timeout means no
// limit.
Result<bool> WaitReadable(const Fd& fd, std::chrono::milliseconds timeout);

}  // namespace belljar
