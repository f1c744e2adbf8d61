// Wiring and flags.
#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <csignal>
#include <cstdio>

#include "door/cli/command.h"
#include "door/cli/flags_behind_file.h"

namespace belljar::door::cli {
namespace {

struct Command {
  std::string_view name;
  void (*add)(CLI::App&, int&);
};

constexpr Command kCommands[] = {
    {"run", AddRunCommand},
    {"exec", AddExecCommand},
    {"image", AddImageCommand},
    {"artefact", AddArtefactCommand},
    {"audit", AddAuditCommand},
    {"doctor", AddDoctorCommand},
    {"serve", AddServeCommand},
    {"session", AddSessionCommand},
    {"token", AddTokenCommand},
    {"check", AddCheckCommand},
    {"policy", AddPolicyCommand},
    {"approvals", AddApprovalsCommand},
    {"redact", AddRedactCommand},
    {"replay", AddReplayCommand},
    {"skill", AddSkillCommand},
    {"database-worker", AddDatabaseWorkerCommand},
    {"tool-server", AddToolServerCommand},
};

// The one that is asked for; all, for whoever asks for help or for none of them. To describe the
// flags of all takes a tenth of a single run's start.
void AddCommands(CLI::App& app, std::string_view asked, int& status) {
  const auto one = std::ranges::find(kCommands, asked, &Command::name);
  if (one != std::end(kCommands)) return one->add(app, status);
  for (const Command& command : kCommands) command.add(app, status);
}

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

// A reader that has gone wanted no more. On a full disk what was printed is lost, and the caller
// must not take what is there for all of it.
int WithAllPrinted(int status) {
  if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0) return status;
  pollfd out{STDOUT_FILENO, POLLOUT, 0};
  if (::poll(&out, 1, 0) == 1 && (out.revents & POLLERR) != 0) return status;
  std::fputs("belljar: standard output could not be written\n", stderr);
  return kOwnFailure;
}

// Last first, as CLI11 wants them.
std::vector<std::string> WordsOf(const CLI::App& app, int argc, char** argv) {
  std::vector<std::string> words(argv + std::min(argc, 1), argv + argc);
  const std::string name = words.empty() ? "" : words.front();
  if (name == "run" || name == "exec") {
    const CLI::App& command = *app.get_subcommand(name);
    words.erase(words.begin());
    if (name == "run") words = FlagsFirst(command, std::move(words));
    words = WithEmptyValues(command, std::move(words));
    words.insert(words.begin(), name);
  }
  std::ranges::reverse(words);
  return words;
}

}  // namespace

int Main(int argc, char** argv, const char* version) {
  OccupyStandardStreams();
  std::signal(SIGPIPE, SIG_IGN);  // a reader that has gone is an error of write(), not our end
  std::signal(SIGCHLD, SIG_DFL);  // a caller that ignores it would have our children reaped unseen
  CLI::App app("Runs code that nobody has read yet, sealed in a cell.", "belljar");
  app.set_version_flag("--version", version);
  app.require_subcommand(1);
  int status = kOwnFailure;
  AddCommands(app, argc > 1 ? argv[1] : "", status);
  try {
    app.parse(WordsOf(app, argc, argv));
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
  return WithAllPrinted(status);
}

}  // namespace belljar::door::cli
