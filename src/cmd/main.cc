// belljar: wiring and flags.
#include <fcntl.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <csignal>
#include <cstdio>
#include <exception>

#include "cmd/command.h"

namespace {

bool HasCommand(const CLI::App& app, const std::string& name) {
  const auto named = app.get_subcommands([&](const CLI::App* c) { return c->get_name() == name; });
  return !named.empty();
}

// What is opened must not get the number of a stream the caller has closed, and its bytes with it.
void OccupyStandardStreams() {
  int fd = 0;
  do {
    fd = ::open("/dev/null", O_RDWR | O_CLOEXEC);
  } while (fd >= 0 && fd <= 2);
  if (fd > 2) ::close(fd);
}

int Main(int argc, char** argv) {
  OccupyStandardStreams();
  std::signal(SIGPIPE, SIG_IGN);  // a reader that has gone is an error of write(), not our end
  CLI::App app("Runs code that nobody has read yet, sealed in a cell.", "belljar");
  app.set_version_flag("--version", BELLJAR_VERSION);
  app.require_subcommand(1);
  int status = belljar::cmd::kOwnFailure;
  belljar::cmd::AddRunCommand(app, status);
  belljar::cmd::AddExecCommand(app, status);
  belljar::cmd::AddImageCommand(app, status);
  belljar::cmd::AddAuditCommand(app, status);
  belljar::cmd::AddDoctorCommand(app, status);
  belljar::cmd::AddServeCommand(app, status);
  belljar::cmd::AddSessionCommand(app, status);
  belljar::cmd::AddTokenCommand(app, status);
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& success) {
    return app.exit(success);  // --help and --version
  } catch (const CLI::ParseError& error) {
    if (argc > 1 && argv[1][0] != '-' && !HasCommand(app, argv[1])) {
      std::fprintf(stderr, "belljar: there is no command \"%s\" (see belljar --help)\n", argv[1]);
      return belljar::cmd::kOwnFailure;
    }
    std::fprintf(stderr, "belljar: %s (see belljar --help)\n", error.what());
    return belljar::cmd::kOwnFailure;
  }
  return status;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return Main(argc, argv);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "belljar: %s\n", error.what());
    return belljar::cmd::kOwnFailure;
  }
}
