// Listener: a bound, listening socket and the host names that are valid for it.
//
// The address is "unix:PATH" or "HOST:PORT" ("[::1]:7070" for IPv6; port 0 takes a free one). TCP
// listens on loopback addresses only, unless the caller gives a reason for more: there is no TLS
// here, and tokens would travel in the clear.
//
// A Unix socket gets mode 0660, and a group if one is named. Its directory must exist and must not
// be writable by other users. A socket file without a listening process is left from a dead server
// and is replaced; one with a listening process is not touched. The file is removed at the end, if
// it is still the one created here.
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>
#include <vector>

#include "foundation/base/fd.h"
#include "foundation/base/result.h"
#include "foundation/http/server/message.h"
#include "foundation/http/server/own_names.h"

namespace belljar::http::server {

// Allows a TCP listener on an address that other machines can reach.
struct UnsafeNonLoopback {
  std::string reason;
};

struct ListenOptions {
  std::optional<UnsafeNonLoopback> non_loopback;
  // names that a proxy or a network uses for this server
  std::vector<std::string> other_host_names;
  std::string socket_group;  // name or number; its members may connect. Empty: the process's own
  int backlog = 1024;
};

class Listener {
 public:
  static Result<Listener> Open(const std::string& address, const ListenOptions& options);
  // Checks the syntax of an address; nothing is looked up or opened.
  static Result<> CheckAddress(const std::string& address);
  Listener(Listener&&) noexcept = default;
  Listener& operator=(Listener&&) = delete;
  ~Listener() { Close(); }

  const Fd& socket() const { return socket_; }
  Peer::Door door() const { return path_.empty() ? Peer::Door::kTcp : Peer::Door::kUnix; }
  // contains the port that was actually bound
  const std::string& address() const { return address_; }
  const OwnNames& names() const { return names_; }

  // Stops accepting connections and removes the socket's file.
  void Close();

 private:
  Listener() = default;
  static Result<Listener> OpenUnix(const std::string& path, const ListenOptions& options);
  static Result<Listener> OpenTcp(const std::string& address, const ListenOptions& options);

  Fd socket_;
  std::string address_;
  OwnNames names_;
  std::string path_;  // of a Unix socket
  dev_t device_ = 0;
  ino_t inode_ = 0;
};

}  // namespace belljar::http::server
