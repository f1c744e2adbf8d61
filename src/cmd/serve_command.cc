#include <fmt/format.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cstdlib>
#include <cstring>

#include "base/sys.h"
#include "cmd/cancellation.h"
#include "cmd/command.h"
#include "server/daemon.h"

namespace belljar::cmd {
namespace {

struct ServeFlags {
  std::string state;
  std::vector<std::string> listen;
  std::string database;
  std::size_t pool = 8;
  std::size_t jobs = 0;
  std::vector<std::string> allow_unenforced;
  bool no_audit = false;
};

// Tells systemd how far we are (Type=notify): one datagram, to the socket it has named.
void Notify(std::string_view state) {
  const char* const path = std::getenv("NOTIFY_SOCKET");
  sockaddr_un address{};
  if (path == nullptr || std::strlen(path) >= sizeof(address.sun_path)) return;
  address.sun_family = AF_UNIX;
  std::memcpy(address.sun_path, path, std::strlen(path));
  if (address.sun_path[0] == '@') address.sun_path[0] = '\0';  // an abstract name
  const auto size = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + std::strlen(path));
  const Fd socket(::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  static_cast<void>(::sendto(socket.get(), state.data(), state.size(), MSG_NOSIGNAL,
                             reinterpret_cast<const sockaddr*>(&address), size));
}

void Introduce(const server::Daemon& daemon) {
  for (const std::string& address : daemon.addresses()) {
    fmt::print(stderr, "belljar: listening on {}\n", address);
  }
  fmt::print(stderr, "belljar: a token for this machine is in {}\n", daemon.token_file());
  for (const std::string& sentence : daemon.engine().recovered()) {
    fmt::print(stderr, "belljar: {}\n", sentence);
  }
  for (const std::string& note : daemon.engine().cgroups().notes) {
    fmt::print(stderr, "belljar: {}\n", note);
  }
}

int Serve(const ServeFlags& flags) {
  server::DaemonOptions options;
  if (flags.state.empty()) {
    auto state = engine::DefaultStateDir();
    if (!state) return Fail(state.error());
    options.engine.state_dir = *std::move(state);
  } else {
    options.engine.state_dir = flags.state;
  }
  options.engine.pool_target = std::max<std::size_t>(flags.pool, 1);
  options.engine.allow_unenforced.insert(flags.allow_unenforced.begin(),
                                         flags.allow_unenforced.end());
  options.listen = flags.listen;
  if (options.listen.empty()) {
    options.listen.push_back(server::DefaultSocket(options.engine.state_dir));
  }
  options.database = flags.database;
  options.jobs = flags.jobs;
  options.record_runs = !flags.no_audit;
  const auto cancel = Cancellation::OnSignals();
  if (!cancel) return Fail(cancel.error());
  auto daemon = server::Daemon::Create(options, ProgressLine());
  if (!daemon) return Fail(daemon.error());
  Introduce(**daemon);
  Notify("READY=1");
  const auto served = (*daemon)->Serve(cancel->fd());
  return served ? 0 : Fail(served.error());
}

}  // namespace

void AddServeCommand(CLI::App& app, int& status) {
  auto* const command = app.add_subcommand("serve", "Serve the HTTP API.");
  const auto flags = std::make_shared<ServeFlags>();
  command->add_option("--state", flags->state, "The directory of images, log and tokens.");
  command->add_option("--listen", flags->listen,
                      "unix:PATH or HOST:PORT; may be given several times.");
  command->add_option("--database", flags->database,
                      "Where the log's searchable copy is kept: postgresql://… or sqlite:PATH.");
  command->add_option("--pool", flags->pool, "Cells that are kept ready.");
  command->add_option("--jobs", flags->jobs, "Runs at once.");
  command->add_flag("--no-audit", flags->no_audit,
                    "Do not record runs: to see what the log costs.");
  command->add_option("--allow-unenforced", flags->allow_unenforced,
                      "A limit that may be missing on this machine.");
  command->callback([flags, &status] { status = Serve(*flags); });
}

}  // namespace belljar::cmd
