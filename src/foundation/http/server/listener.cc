#include "foundation/http/server/listener.h"

#include <grp.h>
#include <netdb.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <charconv>
#include <cstring>
#include <filesystem>
#include <memory>
#include <vector>

#include "foundation/base/sys.h"

namespace belljar::http::server {
namespace {

constexpr std::string_view kUnixPrefix = "unix:";

Result<Fd> MakeSocket(int family) {
  const long fd = BJ_TRY(Check("socket", "for listening", [&] {
    return ::socket(family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  }));
  return Fd(static_cast<int>(fd));
}

Result<sockaddr_un> UnixAddress(const std::string& path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (path.empty() || path.size() >= sizeof(address.sun_path)) {
    return Error(Kind::kInvalid, "socket path " + path + " must have 1 to " +
                                     std::to_string(sizeof(address.sun_path) - 1) + " bytes");
  }
  path.copy(address.sun_path, path.size());
  return address;
}

const sockaddr* Generic(const sockaddr_un& address) {
  return reinterpret_cast<const sockaddr*>(&address);
}

Result<> CheckDirectory(const std::string& path) {
  std::string parent = std::filesystem::path(path).parent_path();
  if (parent.empty()) parent = ".";
  struct stat status {};
  BJ_TRY(Check("stat", parent, [&] { return ::stat(parent.c_str(), &status); }));
  const bool shared = (status.st_mode & (S_IWGRP | S_IWOTH)) != 0;
  if (shared && (status.st_mode & S_ISVTX) == 0) {
    return Error(Kind::kDenied, "others can write to " + parent + " and could replace the socket");
  }
  return {};
}

// Removes a stale socket file at `path`; fails if a process listens on it or it is no socket.
Result<> RemoveStale(const std::string& path, const sockaddr_un& address) {
  struct stat status {};
  if (::lstat(path.c_str(), &status) != 0) {
    if (errno == ENOENT) return {};
    return SysError("stat", path, errno);
  }
  if (!S_ISSOCK(status.st_mode)) {
    return Error(Kind::kInvalid, path + " exists and is not a socket");
  }
  const Fd probe = BJ_TRY(MakeSocket(AF_UNIX));
  if (::connect(probe.get(), Generic(address), sizeof(address)) == 0 || errno == EAGAIN) {
    return Error(Kind::kUnavailable, "another server is listening on " + path);
  }
  if (errno != ECONNREFUSED) return SysError("connect", path, errno);
  BJ_TRY(Check("unlink", path, [&] { return ::unlink(path.c_str()); }));
  return {};
}

struct HostPort {
  std::string host;  // without brackets
  std::string port;
};

Result<HostPort> SplitHostPort(const std::string& address) {
  const std::size_t colon = address.rfind(':');
  if (colon == std::string::npos || colon == 0 || colon + 1 == address.size()) {
    return Error(Kind::kInvalid, "listen address " + address + " is not unix:PATH or HOST:PORT");
  }
  HostPort parts{address.substr(0, colon), address.substr(colon + 1)};
  if (parts.host.front() == '[' && parts.host.back() == ']') {
    parts.host = parts.host.substr(1, parts.host.size() - 2);
  } else if (parts.host.find(':') != std::string::npos) {
    return Error(Kind::kInvalid, "listen address " + address + ": write IPv6 as [ADDRESS]:PORT");
  }
  std::uint16_t port = 0;
  const char* end = parts.port.data() + parts.port.size();
  const auto [stop, failure] = std::from_chars(parts.port.data(), end, port);
  if (failure != std::errc() || stop != end) {
    return Error(Kind::kInvalid, "listen address " + address + ": the port must be 0 to 65535");
  }
  return parts;
}

using AddressList = std::unique_ptr<addrinfo, decltype(&::freeaddrinfo)>;

Result<AddressList> Resolve(const HostPort& parts, const std::string& address) {
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = AI_PASSIVE | AI_NUMERICSERV;
  addrinfo* found = nullptr;
  const int failure = ::getaddrinfo(parts.host.c_str(), parts.port.c_str(), &hints, &found);
  AddressList list(found, &::freeaddrinfo);
  if (failure != 0) {
    return Error(Kind::kInvalid, "listen address " + address + ": " + ::gai_strerror(failure));
  }
  return list;
}

bool IsLoopback(const sockaddr* address) {
  if (address->sa_family == AF_INET) {
    const auto* four = reinterpret_cast<const sockaddr_in*>(address);
    return (ntohl(four->sin_addr.s_addr) >> 24) == 127;
  }
  const auto* six = reinterpret_cast<const sockaddr_in6*>(address);
  return address->sa_family == AF_INET6 && IN6_IS_ADDR_LOOPBACK(&six->sin6_addr);
}

Result<std::uint16_t> BoundPort(const Fd& socket) {
  sockaddr_storage bound{};
  socklen_t length = sizeof(bound);
  BJ_TRY(Check("getsockname", "listener", [&] {
    return ::getsockname(socket.get(), reinterpret_cast<sockaddr*>(&bound), &length);
  }));
  if (bound.ss_family == AF_INET) {
    return ntohs(reinterpret_cast<const sockaddr_in*>(&bound)->sin_port);
  }
  return ntohs(reinterpret_cast<const sockaddr_in6*>(&bound)->sin6_port);
}

Result<Fd> BindTcp(const addrinfo& where, const std::string& address, int backlog) {
  Fd socket = BJ_TRY(MakeSocket(where.ai_family));
  const int on = 1;
  BJ_TRY(Check("setsockopt", "SO_REUSEADDR", [&] {
    return ::setsockopt(socket.get(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
  }));
  BJ_TRY(Check("bind", address,
               [&] { return ::bind(socket.get(), where.ai_addr, where.ai_addrlen); }));
  BJ_TRY(Check("listen", address, [&] { return ::listen(socket.get(), backlog); }));
  return socket;
}

// Looks the group up by name, then by number.
Result<gid_t> FindGroup(const std::string& wanted) {
  std::vector<char> room(1 << 16);
  group entry{};
  group* found = nullptr;
  ::getgrnam_r(wanted.c_str(), &entry, room.data(), room.size(), &found);
  if (found != nullptr) return found->gr_gid;
  gid_t number = 0;
  const char* const end = wanted.data() + wanted.size();
  const auto read = std::from_chars(wanted.data(), end, number);
  if (read.ec == std::errc() && read.ptr == end) return number;
  return Error(Kind::kInvalid, "socket_group: there is no group " + wanted);
}

}  // namespace

Result<Listener> Listener::Open(const std::string& address, const ListenOptions& options) {
  if (address.starts_with(kUnixPrefix)) {
    return OpenUnix(address.substr(kUnixPrefix.size()), options).While("listen");
  }
  return OpenTcp(address, options).While("listen");
}

Result<> Listener::CheckAddress(const std::string& address) {
  if (address.starts_with(kUnixPrefix)) {
    BJ_TRY(UnixAddress(address.substr(kUnixPrefix.size())).While("listen"));
  } else {
    BJ_TRY(SplitHostPort(address).While("listen"));
  }
  return {};
}

Result<Listener> Listener::OpenUnix(const std::string& path, const ListenOptions& options) {
  const sockaddr_un address = BJ_TRY(UnixAddress(path));
  BJ_TRY(CheckDirectory(path));
  BJ_TRY(RemoveStale(path, address));
  Listener listener;
  listener.socket_ = BJ_TRY(MakeSocket(AF_UNIX));
  const int fd = listener.socket_.get();
  // The file gets the socket's mode less the umask, so it is never wider than kMode; chmod then
  // restores what the umask removed. No client can connect before listen().
  constexpr mode_t kMode = 0660;
  BJ_TRY(Check("fchmod", path, [&] { return ::fchmod(fd, kMode); }));
  BJ_TRY(Check("bind", path, [&] { return ::bind(fd, Generic(address), sizeof(address)); }));
  listener.path_ = path;
  listener.address_ = std::string(kUnixPrefix) + path;
  struct stat status {};
  BJ_TRY(Check("stat", path, [&] { return ::lstat(path.c_str(), &status); }));
  listener.device_ = status.st_dev;
  listener.inode_ = status.st_ino;
  if (!options.socket_group.empty()) {
    const gid_t group = BJ_TRY(FindGroup(options.socket_group));
    BJ_TRY(Check("chgrp", path, [&] { return ::lchown(path.c_str(), -1, group); }));
  }
  BJ_TRY(Check("chmod", path, [&] { return ::chmod(path.c_str(), kMode); }));
  BJ_TRY(Check("listen", path, [&] { return ::listen(fd, options.backlog); }));
  return listener;
}

Result<Listener> Listener::OpenTcp(const std::string& address, const ListenOptions& options) {
  const HostPort parts = BJ_TRY(SplitHostPort(address));
  const AddressList found = BJ_TRY(Resolve(parts, address));
  if (!IsLoopback(found->ai_addr) && !options.non_loopback) {
    return Error(Kind::kDenied, address + " can be reached from other machines");
  }
  Listener listener;
  listener.socket_ = BJ_TRY(BindTcp(*found, address, options.backlog));
  const std::uint16_t port = BJ_TRY(BoundPort(listener.socket_));
  const bool bracketed = parts.host.find(':') != std::string::npos;
  const std::string host = bracketed ? "[" + parts.host + "]" : parts.host;
  listener.address_ = host + ":" + std::to_string(port);
  listener.names_ = OwnNames(host, port, options.other_host_names);
  return listener;
}

void Listener::Close() {
  if (!socket_) return;
  struct stat status {};
  if (!path_.empty() && ::lstat(path_.c_str(), &status) == 0 && status.st_dev == device_ &&
      status.st_ino == inode_) {
    ::unlink(path_.c_str());
  }
  socket_.Close();
}

}  // namespace belljar::http::server
