// Listener: a bound, listening socket and the names it goes by.
//
// "unix:PATH" or "HOST:PORT" ("[::1]:7070" for IPv6; port 0 takes a free one). TCP listens on
// loopback addresses only, unless the caller says why more is wanted: there is no TLS here, and
// tokens would travel in the clear.
//
// A Unix socket is made with mode 0660, and given to a group if one is named, in a directory that
// must exist and that strangers cannot write to. A socket file that nobody listens on is left from
// a dead server and is replaced; one that somebody listens on is not touched. The file is removed
// at the end, if it is still ours.
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

// Lets a TCP listener be reached from other machines.
struct UnsafeNonLoopback {
  std::string reason;
};

struct ListenOptions {
  std::optional<UnsafeNonLoopback> non_loopback;
  std::vector<std::string> other_host_names;  // by which a proxy or a network knows this server
  std::string socket_group;  // name or number; its members may connect. Empty: the process's own
  int backlog = 1024;
};

class Listener {
 public:
  static Result<Listener> Open(const std::string& address, const ListenOptions& options);
  // Whether it is an address at all; nothing is looked up or opened.
  static Result<> CheckAddress(const std::string& address);
  Listener(Listener&&) noexcept = default;
  Listener& operator=(Listener&&) = delete;
  ~Listener() { Close(); }

  const Fd& socket() const { return socket_; }
  Peer::Door door() const { return path_.empty() ? Peer::Door::kTcp : Peer::Door::kUnix; }
  const std::string& address() const { return address_; }  // with the port actually bound
  const OwnNames& names() const { return names_; }

  // Takes no more connections and removes the socket's file.
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
