#include "cell/oci/host/hidden_listener.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>

#include "foundation/base/sys.h"

namespace belljar::cell::oci {
namespace {

constexpr int kBacklog = 64;
constexpr const char* kEntry = "door";

Result<Fd> NewUnixSocket() {
  const long raw = BJ_TRY(Check("socket", "a door", [] {
    return ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  }));
  return Fd(static_cast<int>(raw));
}

// The path goes through a descriptor, because socket paths must be short.
sockaddr_un AddressBy(const Fd& fd, const std::string& below) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  const std::string path = fmt::format("/proc/self/fd/{}{}", fd.get(), below);
  std::ranges::copy(path, address.sun_path);
  return address;
}

Result<Fd> Bind(const Fd& socket, const Fd& place) {
  const sockaddr_un address = AddressBy(place, fmt::format("/{}", kEntry));
  BJ_TRY(Check("bind", "a door", [&] {
    return ::bind(socket.get(), reinterpret_cast<const sockaddr*>(&address), sizeof(address));
  }));
  const long raw = ::openat(place.get(), kEntry, O_PATH | O_NOFOLLOW | O_CLOEXEC);
  const int failed = raw < 0 ? errno : 0;
  Fd way(static_cast<int>(raw));
  BJ_TRY(Check("unlink", "a door", [&] { return ::unlinkat(place.get(), kEntry, 0); }));
  if (failed != 0) return SysError("open", "a door", failed);
  return way;
}

}  // namespace

Result<HiddenListener> HideListener() {
  HiddenListener hidden;
  hidden.listener = BJ_TRY(NewUnixSocket());
  const char* const chosen = ::getenv("TMPDIR");
  std::string folder =
      fmt::format("{}/belljar-door-XXXXXX", chosen == nullptr || *chosen != '/' ? "/tmp" : chosen);
  if (::mkdtemp(folder.data()) == nullptr) return SysError("make the directory", folder, errno);
  const auto place = Open(folder, O_PATH | O_DIRECTORY | O_NOFOLLOW);
  auto way = place ? Bind(hidden.listener, *place) : Result<Fd>(place.error());
  ::rmdir(folder.c_str());
  hidden.way = BJ_TRY(std::move(way));
  // Listens only now that the name is gone, so that no other process could have connected.
  BJ_TRY(Check("listen", "a door", [&] { return ::listen(hidden.listener.get(), kBacklog); }));
  return hidden;
}

Result<Fd> ConnectBy(const Fd& way) {
  Fd socket = BJ_TRY(NewUnixSocket());
  const sockaddr_un address = AddressBy(way, "");
  BJ_TRY(Check("connect", "a door", [&] {
    return ::connect(socket.get(), reinterpret_cast<const sockaddr*>(&address), sizeof(address));
  }));
  return socket;
}

}  // namespace belljar::cell::oci
