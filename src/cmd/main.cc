// belljar: wiring and flags.
#include <csignal>
#include <cstdio>
#include <exception>

#include "cmd/command.h"

namespace {

int Main(int argc, char** argv) {
  std::signal(SIGPIPE, SIG_IGN);  // a reader that has gone is an error of write(), not our end
  CLI::App app("Runs code that nobody has read yet, sealed in a cell.", "belljar");
  app.set_version_flag("--version", BELLJAR_VERSION);
  app.require_subcommand(1);
  int status = belljar::cmd::kOwnFailure;
  belljar::cmd::AddRunCommand(app, status);
  belljar::cmd::AddExecCommand(app, status);
  belljar::cmd::AddImageCommand(app, status);
  belljar::cmd::AddDoctorCommand(app, status);
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& success) {
    return app.exit(success);  // --help and --version
  } catch (const CLI::ParseError& error) {
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
