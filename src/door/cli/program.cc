// The program: its subcommands and their dispatch.
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

// Registers only the requested subcommand; all of them for help or if none matches. Registering the
// flags of all would take a tenth of a single run's startup time.
void AddCommands(CLI::App& app, std::string_view asked, int& status) {
  const auto one = std::ranges::find(kCommands, asked, &Command::name);
  if (one != std::end(kCommands)) return one->add(app, status);
  for (const Command& command : kCommands) command.add(app, status);
}

bool HasCommand(const CLI::App& app, const std::string& name) {
  const auto named = app.get_subcommands([&](const CLI::App* c) { return c->get_name() == name; });
  return !named.empty();
}

// Opens /dev/null for closed standard streams, so that later files do not get their descriptor
// numbers and their output.
void OccupyStandardStreams() {
  int fd = 0;
  do {
    fd = ::open("/dev/null", O_RDWR | O_CLOEXEC);
  } while (fd >= 0 && fd <= 2);
  if (fd > 2) ::close(fd);
}

// Checks that all output was written. EPIPE is no error, since the reader wanted no more. On a full
// disk output is lost, and the caller must not take the rest for complete.
int WithAllPrinted(int status) {
  if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0) return status;
  pollfd out{STDOUT_FILENO, POLLOUT, 0};
  if (::poll(&out, 1, 0) == 1 && (out.revents & POLLERR) != 0) return status;
  std::fputs("belljar: standard output could not be written\n", stderr);
  return kOwnFailure;
}

// The arguments in reverse order, as CLI11 expects them.
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
  std::signal(SIGPIPE, SIG_IGN);  // EPIPE from write() instead of death by signal
  std::signal(SIGCHLD, SIG_DFL);  // an inherited SIG_IGN would reap our children automatically
  CLI::App app("Runs code that nobody has read yet, sealed in a cell.", "belljar");
  app.set_version_flag("--version", version);
  app.require_subcommand(1);
  int status = kOwnFailure;
  AddCommands(app, argc > 1 ? argv[1] : "", status);
  try {
    app.parse(WordsOf(app, argc, argv));
  } catch (const CLI::Success& success) {
    return app.exit(success);  // for --help and --version
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
