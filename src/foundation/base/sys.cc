#include "foundation/base/sys.h"

#include <fcntl.h>
#include <linux/openat2.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>

namespace belljar {
namespace {

constexpr std::size_t kMaxFdsPerMessage = 24;

// openat2 may fail with EAGAIN when a rename races with path resolution; it is then retried.
long OpenAt2(int dir, const char* path, const open_how& how) {
  for (int attempt = 0;; ++attempt) {
    const long fd = ::syscall(SYS_openat2, dir, path, &how, sizeof(how));
    if (fd >= 0 || errno != EAGAIN || attempt == 16) return fd;
  }
}

}  // namespace

Error SysError(std::string_view name, std::string_view object, int sys) {
  std::string message(name);
  if (!object.empty()) message.append(" ").append(object);
  return Error(KindOf(sys), message.append(": ").append(std::strerror(sys)), sys);
}

Result<Fd> Open(const std::string& path, int flags, mode_t mode) {
  const long fd =
      BJ_TRY(Check("open", path, [&] { return ::open(path.c_str(), flags | O_CLOEXEC, mode); }));
  return Fd(static_cast<int>(fd));
}

Result<Fd> OpenBeneath(const Fd& dir, const std::string& path, int flags, mode_t mode) {
  if (path.find('\0') != std::string::npos) {
    return Error(Kind::kInvalid, "a path must not contain a NUL byte");
  }
  open_how how{};
  how.flags = static_cast<std::uint64_t>(flags) | O_CLOEXEC;
  how.mode = (flags & (O_CREAT | __O_TMPFILE)) != 0 ? mode : 0;
  how.resolve = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS | RESOLVE_NO_XDEV;
  const long fd =
      BJ_TRY(Check("open", path, [&] { return OpenAt2(dir.get(), path.c_str(), how); }));
  return Fd(static_cast<int>(fd));
}

Result<Fd> MakeDirsBeneath(const Fd& dir, const std::string& path, mode_t mode) {
  Fd at = BJ_TRY(OpenBeneath(dir, ".", O_PATH | O_DIRECTORY));
  for (std::size_t start = 0; start < path.size();) {
    const std::size_t slash = std::min(path.find('/', start), path.size());
    const std::string name = path.substr(start, slash - start);
    start = slash + 1;
    if (name.empty() || name == ".") continue;
    if (::mkdirat(at.get(), name.c_str(), mode) != 0 && errno != EEXIST) {
      return SysError("mkdir", path, errno);
    }
    at = BJ_TRY(OpenBeneath(at, name, O_PATH | O_DIRECTORY));
  }
  return at;
}

Result<PipeEnds> MakePipe() {
  std::array<int, 2> ends{};
  BJ_TRY(Check("pipe2", "", [&] { return ::pipe2(ends.data(), O_CLOEXEC); }));
  return PipeEnds{Fd(ends[0]), Fd(ends[1])};
}

Result<SocketEnds> MakeSocketPair(int type) {
  std::array<int, 2> ends{};
  BJ_TRY(Check("socketpair", "",
               [&] { return ::socketpair(AF_UNIX, type | SOCK_CLOEXEC, 0, ends.data()); }));
  return SocketEnds{Fd(ends[0]), Fd(ends[1])};
}

Result<> SetNonBlocking(const Fd& fd) {
  const long flags = BJ_TRY(Check("fcntl", "F_GETFL", [&] { return ::fcntl(fd.get(), F_GETFL); }));
  BJ_TRY(Check("fcntl", "F_SETFL", [&] { return ::fcntl(fd.get(), F_SETFL, flags | O_NONBLOCK); }));
  return {};
}

Result<std::string> ReadAll(const Fd& fd, std::size_t cap, std::string_view what) {
  std::string text;
  std::array<char, 65536> chunk;
  for (;;) {
    const long n =
        BJ_TRY(Check("read", what, [&] { return ::read(fd.get(), chunk.data(), chunk.size()); }));
    if (n == 0) return text;
    text.append(chunk.data(), static_cast<std::size_t>(n));
    if (text.size() > cap) {
      return Error(Kind::kInvalid,
                   std::string(what) + " is larger than " + std::to_string(cap) + " bytes");
    }
  }
}

Result<std::string> ReadFile(const std::string& path, std::size_t cap) {
  const Fd fd = BJ_TRY(Open(path, O_RDONLY));
  return ReadAll(fd, cap, path);
}

Result<> WriteAll(const Fd& fd, std::string_view bytes, std::string_view what) {
  while (!bytes.empty()) {
    const long n =
        BJ_TRY(Check("write", what, [&] { return ::write(fd.get(), bytes.data(), bytes.size()); }));
    bytes.remove_prefix(static_cast<std::size_t>(n));
  }
  return {};
}

Result<> WriteControl(const Fd& dir, const std::string& name, std::string_view text) {
  const long raw = BJ_TRY(
      Check("open", name, [&] { return ::openat(dir.get(), name.c_str(), O_WRONLY | O_CLOEXEC); }));
  const Fd fd(static_cast<int>(raw));
  BJ_TRY(Check("write", name, [&] { return ::write(fd.get(), text.data(), text.size()); }));
  return {};
}

Result<std::string> ReadControl(const Fd& dir, const std::string& name) {
  const long raw = BJ_TRY(
      Check("open", name, [&] { return ::openat(dir.get(), name.c_str(), O_RDONLY | O_CLOEXEC); }));
  const Fd fd(static_cast<int>(raw));
  std::string text = BJ_TRY(ReadAll(fd, 1 << 20, name));
  while (!text.empty() && text.back() == '\n') text.pop_back();
  return text;
}

Result<> SendWithFds(const Fd& socket, std::span<const std::byte> message,
                     std::span<const int> fds) {
  if (fds.size() > kMaxFdsPerMessage) return Error(Kind::kInternal, "too many descriptors to send");
  iovec io{const_cast<std::byte*>(message.data()), message.size()};
  alignas(cmsghdr) std::array<char, CMSG_SPACE(kMaxFdsPerMessage * sizeof(int))> control{};
  msghdr header{};
  header.msg_iov = &io;
  header.msg_iovlen = 1;
  if (!fds.empty()) {
    header.msg_control = control.data();
    header.msg_controllen = CMSG_SPACE(fds.size_bytes());
    cmsghdr* const rights = CMSG_FIRSTHDR(&header);
    rights->cmsg_level = SOL_SOCKET;
    rights->cmsg_type = SCM_RIGHTS;
    rights->cmsg_len = CMSG_LEN(fds.size_bytes());
    std::memcpy(CMSG_DATA(rights), fds.data(), fds.size_bytes());
  }
  const long sent =
      BJ_TRY(Check("sendmsg", "", [&] { return ::sendmsg(socket.get(), &header, MSG_NOSIGNAL); }));
  if (static_cast<std::size_t>(sent) != message.size()) {
    return Error(Kind::kInternal, "sendmsg: the message was cut");
  }
  return {};
}

Result<Received> ReceiveWithFds(const Fd& socket, std::size_t max_bytes, std::size_t max_fds) {
  Received received;
  received.bytes.resize(max_bytes);
  iovec io{received.bytes.data(), max_bytes};
  alignas(cmsghdr) std::array<char, CMSG_SPACE(kMaxFdsPerMessage * sizeof(int))> control{};
  msghdr header{};
  header.msg_iov = &io;
  header.msg_iovlen = 1;
  header.msg_control = control.data();
  header.msg_controllen = CMSG_SPACE(std::min(max_fds, kMaxFdsPerMessage) * sizeof(int));
  const long n = BJ_TRY(
      Check("recvmsg", "", [&] { return ::recvmsg(socket.get(), &header, MSG_CMSG_CLOEXEC); }));
  received.bytes.resize(static_cast<std::size_t>(n));
  for (cmsghdr* c = CMSG_FIRSTHDR(&header); c != nullptr; c = CMSG_NXTHDR(&header, c)) {
    if (c->cmsg_level != SOL_SOCKET || c->cmsg_type != SCM_RIGHTS) continue;
    const std::size_t count = (c->cmsg_len - CMSG_LEN(0)) / sizeof(int);
    for (std::size_t i = 0; i < count; ++i) {
      int fd = -1;
      std::memcpy(&fd, CMSG_DATA(c) + i * sizeof(int), sizeof(int));
      received.fds.emplace_back(fd);
    }
  }
  if ((header.msg_flags & (MSG_TRUNC | MSG_CTRUNC)) != 0 || received.fds.size() > max_fds) {
    return Error(Kind::kInvalid, "a message had more bytes or descriptors than allowed");
  }
  return received;
}

Result<bool> WaitReadable(const Fd& fd, std::chrono::milliseconds timeout) {
  pollfd waited{fd.get(), POLLIN, 0};
  const long n = BJ_TRY(
      Check("poll", "", [&] { return ::poll(&waited, 1, static_cast<int>(timeout.count())); }));
  return n > 0;
}

}  // namespace belljar
