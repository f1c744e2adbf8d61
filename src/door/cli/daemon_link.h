// DaemonLink: a command's connection to a daemon.
//
// Without --daemon or BELLJAR_SOCKET, the command looks for the daemon that serves its state
// directory; if there is none, it does the work in its own process. The search costs an open() and,
// if that finds an address, a connect(). A daemon given by name must exist.
//
// Each request uses a new connection: over a Unix socket that costs microseconds.
#pragma once

#include <optional>
#include <string>

#include "door/cli/command.h"
#include "foundation/base/json.h"
#include "foundation/base/result.h"
#include "foundation/http/client/connection.h"

namespace belljar::door::cli {

// Adds --daemon and --state.
void AddDaemonFlags(CLI::App& app, DaemonFlags& flags);

class DaemonLink {
 public:
  // nullopt: no daemon; the command does the work itself.
  static Result<std::optional<DaemonLink>> Find(const DaemonFlags& flags);
  // For operations that only a daemon can do.
  static Result<DaemonLink> Need(const DaemonFlags& flags, std::string_view what_for);

  // Whether the user named this daemon.
  bool named() const { return pid_ == 0; }

  Result<http::client::Connection> Connect();
  // The body of an answer with status 2xx; another status becomes the Error it describes.
  Result<std::string> Ask(const http::client::Ask& ask, const http::client::Bounds& bounds = {});
  // The same for an answer that must be a JSON object.
  Result<json::object> AskJson(const http::client::Ask& ask);

 private:
  DaemonLink(std::string address, pid_t pid, http::client::Connection first)
      : address_(std::move(address)), pid_(pid), first_(std::move(first)) {}

  std::string address_;
  pid_t pid_;  // pid of the state directory's daemon; 0: named by the user, pid unknown
  std::optional<http::client::Connection> first_;  // the connection made by Find()
};

}  // namespace belljar::door::cli
