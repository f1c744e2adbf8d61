// DaemonLink: the daemon that a command speaks to.
//
// Without --daemon or BELLJAR_SOCKET it is the one that serves the command's own state directory,
// and none is no mistake: the work is then done here. Looking for it costs an open() and, where
// that finds something, a connect(). A daemon that was named must be there.
//
// Each request has a connection of its own: over a Unix socket that costs microseconds.
#pragma once

#include <optional>
#include <string>

#include "door/cli/command.h"
#include "foundation/base/json.h"
#include "foundation/base/result.h"
#include "foundation/http/client/connection.h"

namespace belljar::door::cli {

// --daemon and --state.
void AddDaemonFlags(CLI::App& app, DaemonFlags& flags);

class DaemonLink {
 public:
  // Nothing: the work is done here.
  static Result<std::optional<DaemonLink>> Find(const DaemonFlags& flags);
  // For what only a daemon can do.
  static Result<DaemonLink> Need(const DaemonFlags& flags, std::string_view what_for);

  // Whether the caller has asked for this very daemon.
  bool named() const { return pid_ == 0; }

  Result<http::client::Connection> Connect();
  // The body of an answer with status 2xx; another status is the Error it tells of.
  Result<std::string> Ask(const http::client::Ask& ask, const http::client::Bounds& bounds = {});
  // The same of an answer that must be a JSON object.
  Result<json::object> AskJson(const http::client::Ask& ask);

 private:
  DaemonLink(std::string address, pid_t pid, http::client::Connection first)
      : address_(std::move(address)), pid_(pid), first_(std::move(first)) {}

  std::string address_;
  pid_t pid_;  // of the state directory's daemon; 0: whoever it is
  std::optional<http::client::Connection> first_;  // the one it was found by
};

}  // namespace belljar::door::cli
