#include "door/cli/daemon_link.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdlib>
#include <utility>

#include "service/daemon_file.h"

namespace belljar::door::cli {
namespace {

std::string NamedAddress(const DaemonFlags& flags) {
  if (!flags.address.empty()) return flags.address;
  const char* const value = std::getenv("BELLJAR_SOCKET");
  return value == nullptr ? std::string() : std::string(value);
}

}  // namespace

void AddDaemonFlags(CLI::App& app, DaemonFlags& flags) {
  app.add_option("--daemon", flags.address,
                 "unix:PATH of the daemon to use (BELLJAR_SOCKET, or the one that serves --state)");
  app.add_option("--state", flags.state, "the directory that holds images and the rest");
}

Result<std::optional<DaemonLink>> DaemonLink::Find(const DaemonFlags& flags) {
  if (flags.never) {
    if (flags.address.empty()) return std::optional<DaemonLink>();
    return Error(Kind::kInvalid, "--daemon and --no-daemon exclude each other");
  }
  if (const std::string named = NamedAddress(flags); !named.empty()) {
    auto connection = BJ_TRY(http::client::Connection::Open(named));
    return std::optional(DaemonLink(named, 0, std::move(connection)));
  }
  const std::string state = BJ_TRY(StateDir(flags));
  const auto noted = service::FindDaemon(state);
  if (!noted) return std::optional<DaemonLink>();
  // Problems with a daemon that the user did not name are ignored: the work can be done without it.
  auto connection = http::client::Connection::Open(noted->address);
  if (!connection || connection->listener_pid() != noted->pid) return std::optional<DaemonLink>();
  return std::optional(DaemonLink(noted->address, noted->pid, *std::move(connection)));
}

Result<DaemonLink> DaemonLink::Need(const DaemonFlags& flags, std::string_view what_for) {
  auto link = BJ_TRY(Find(flags));
  if (link) return *std::move(link);
  if (flags.never) {
    return Error(Kind::kInvalid, fmt::format("{} needs a daemon: leave out --no-daemon", what_for));
  }
  const std::string state = BJ_TRY(StateDir(flags));
  return Error(Kind::kUnavailable,
               fmt::format("{} needs a daemon, and none serves {}: start one with belljar serve, "
                           "or name one with --daemon unix:PATH",
                           what_for, state));
}

Result<http::client::Connection> DaemonLink::Connect() {
  if (first_) return *std::exchange(first_, std::nullopt);
  auto connection = BJ_TRY(http::client::Connection::Open(address_));
  if (pid_ == 0 || connection.listener_pid() == pid_) return connection;
  return Error(Kind::kUnavailable, "the daemon went away, and another one is in its place");
}

Result<std::string> DaemonLink::Ask(const http::client::Ask& ask,
                                    const http::client::Bounds& bounds) {
  auto connection = BJ_TRY(Connect());
  http::client::Answer answer = BJ_TRY(connection.Exchange(ask, bounds));
  if (answer.status / 100 != 2) return http::client::ErrorOf(answer);
  return std::move(answer.body);
}

Result<json::object> DaemonLink::AskJson(const http::client::Ask& ask) {
  const std::string body = BJ_TRY(Ask(ask));
  // Data of a session may itself have the full depth, so the limit is doubled.
  auto value = BJ_TRY(ParseJson(body, 2 * kMaxJsonDepth).While("the daemon's answer"));
  if (value.is_object()) return std::move(value.get_object());
  return Error(Kind::kInternal, "the daemon's answer is not an object");
}

}  // namespace belljar::door::cli
