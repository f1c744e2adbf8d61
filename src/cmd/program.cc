// Wiring and flags.
#include <fcntl.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <csignal>
#include <cstdio>

#include "cmd/command.h"

namespace belljar::cmd {
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

}  // namespace

int Main(int argc, char** argv, const char* version) {
  OccupyStandardStreams();
  std::signal(SIGPIPE, SIG_IGN);  // a reader that has gone is an error of write(), not our end
  CLI::App app("Runs code that nobody has read yet, sealed in a cell.", "belljar");
  app.set_version_flag("--version", version);
  app.require_subcommand(1);
  int status = kOwnFailure;
  AddRunCommand(app, status);
  AddExecCommand(app, status);
  AddImageCommand(app, status);
  AddAuditCommand(app, status);
  AddDoctorCommand(app, status);
  AddServeCommand(app, status);
  AddSessionCommand(app, status);
  AddTokenCommand(app, status);
  AddCheckCommand(app, status);
  AddPolicyCommand(app, status);
  AddApprovalsCommand(app, status);
  AddRedactCommand(app, status);
  AddReplayCommand(app, status);
  AddSkillCommand(app, status);
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& success) {
    return app.exit(success);  // --help and --version
  } catch (const CLI::ParseError& error) {
    if (argc > 1 && argv[1][0] != '-' && !HasCommand(app, argv[1])) {
      std::fprintf(stderr, "belljar: there is no command \"%s\" (see belljar --help)\n", argv[1]);
      return kOwnFailure;
    }
    std::fprintf(stderr, "belljar: %s (see belljar --help)\n", error.what());
    return kOwnFailure;
  }
  return status;
}

}  // namespace belljar::cmd
