#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/resource.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <csignal>

#include "door/api/routes.h"
#include "door/cli/command.h"
#include "door/cli/configuration.h"
#include "door/cli/serve_signals.h"
#include "door/cli/systemd.h"
#include "foundation/log/logger.h"
#include "service/config/settings.h"
#include "service/daemon.h"

namespace belljar::door::cli {
namespace {

using log::Detail;
using log::Level;

struct ServeFlags {
  std::string config;
  service::config::GivenByKey given;  // by its key in the file
  bool check = false;
  bool no_audit = false;
  std::string switch_off;  // belljar-loose only
};

Result<service::config::Settings> ReadSettings(const ServeFlags& flags) {
  const auto file = BJ_TRY(ReadConfig(flags.config).While("configuration"));
  auto settings = BJ_TRY(service::config::Combine(file, flags.given).While("configuration"));
  if (settings.policy.empty() && settings.level.empty()) settings.policy = PolicyOfEnvironment();
  settings.state = BJ_TRY(run::StateDirOr(settings.state));
  if (settings.listen.empty()) settings.listen.push_back(service::DefaultSocket(settings.state));
  return settings;
}

log::Format FormatOf(const service::config::Settings& settings) {
  if (settings.log_format) return *settings.log_format;
  const bool terminal = settings.log_file.empty() && ::isatty(STDERR_FILENO) == 1;
  return terminal ? log::Format::kText : log::Format::kJson;
}

// The levels that requests may name if none are configured: none milder than the daemon's own
// level. Without a configured level, callers may choose any.
std::vector<std::string> LevelsOpen(const service::config::Settings& settings) {
  if (!settings.levels.empty()) return settings.levels;
  if (!settings.policy.empty()) return {};
  std::vector<std::string> open;
  for (const std::string_view preset : request::kLevels) {  // strictest first
    open.emplace_back(preset);
    if (preset == settings.level) break;
  }
  return settings.level.empty()
             ? std::vector<std::string>(request::kLevels.begin(), request::kLevels.end())
             : open;
}

// The policies for requests, loaded here so that an error in the file is reported at once.
Result<run::Terms> TermsOfDaemon(const service::config::Settings& settings) {
  run::Terms terms;
  if (settings.policy.empty()) {
    const std::string_view level =
        settings.level.empty() ? request::kDefaultLevel : std::string_view(settings.level);
    terms.own = *BJ_TRY(judgement::policy::Preset(level).While("\"level\""));
  } else {
    terms.own = BJ_TRY(judgement::policy::ReadPolicyFile(settings.policy).While("\"policy\""));
  }
  for (const std::string& level : settings.levels) {
    BJ_TRY(judgement::policy::Preset(level).While("\"levels\""));
  }
  terms.levels = LevelsOpen(settings);
  return terms;
}

service::DaemonOptions OptionsFor(const service::config::Settings& settings, run::Terms terms) {
  service::DaemonOptions options;
  options.make_router = api::MakeRouter;
  options.settings = settings;
  options.engine.terms = std::move(terms);
  options.engine.state_dir = settings.state;
  options.engine.walls = WallsOf(settings);
  options.engine.walls.trial = cell::oci::Trial::kBeforeCells;
  options.engine.pool_target = std::max<std::uint64_t>(settings.pool, 1);
  options.engine.allow_unenforced.insert(settings.allow_unenforced.begin(),
                                         settings.allow_unenforced.end());
  return options;
}

void Tell(log::Journal& journal, Level level, std::string_view event, json::object more) {
  journal.Write({level, Detail::kMinimal, event, {}, {}, {}, {}, std::move(more)});
}

void Introduce(const service::Daemon& daemon, log::Journal& journal) {
  for (const std::string& address : daemon.addresses()) {
    Tell(journal, Level::kInfo, "listening", {{"address", address}});
  }
  Tell(journal, Level::kInfo, "token", {{"file", daemon.token_file()}});
  for (const std::string& note : daemon.engine().cells().cgroups().notes) {
    Tell(journal, Level::kWarning, "missing", {{"message", note}});
  }
}

// Reloads the configuration. On an error nothing changes, and the error is logged.
void Reload(const ServeFlags& flags, service::Daemon& daemon, log::Journal& journal) {
  NotifyReloading();
  const auto settings = ReadSettings(flags);
  auto terms = settings ? TermsOfDaemon(*settings) : Result<run::Terms>(settings.error());
  if (terms) {
    journal.Set(settings->log_detail, FormatOf(*settings));
    const auto fixed = daemon.Reload(*settings, *std::move(terms));
    Tell(journal, Level::kInfo, "reloaded", {});
    for (const std::string& key : fixed) {
      Tell(journal, Level::kWarning, "not_reloaded",
           {{"key", key}, {"message", fmt::format("\"{}\" changes at the next start only", key)}});
    }
  } else {
    Tell(journal, Level::kError, "reload_failed",
         {{"message", terms.error().message() + "; the old configuration stays"}});
  }
  if (const auto opened = journal.Reopen(); !opened) {
    Tell(journal, Level::kError, "log_file", {{"message", opened.error().message()}});
  }
  NotifySystemd("READY=1");
}

// Raises the limit on descriptors: each cell and session takes about ten, and login shells allow
// 1,024. Cells have a limit of their own.
void AllowManyDescriptors() {
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
  limit.rlim_cur = limit.rlim_max;
  static_cast<void>(::setrlimit(RLIMIT_NOFILE, &limit));
}

Result<> ServeUntilToldToStop(const ServeFlags& flags, const service::config::Settings& settings,
                              log::Journal& journal) {
  ServeSignals signals = BJ_TRY(ServeSignals::Install());
  AllowManyDescriptors();
  service::DaemonOptions options = OptionsFor(settings, BJ_TRY(TermsOfDaemon(settings)));
  options.record_runs = !flags.no_audit;
  options.engine.switch_off = flags.switch_off;
  const auto daemon = BJ_TRY(service::Daemon::Create(options, journal, ProgressLine()));
  BJ_TRY(daemon->Start());
  Introduce(*daemon, journal);
  NotifySystemd("READY=1");
  while (BJ_TRY(signals.Next()) == SIGHUP) Reload(flags, *daemon, journal);
  NotifySystemd("STOPPING=1");
  Tell(journal, Level::kInfo, "stopping", {});
  const auto stopped = daemon->Stop(signals.fd());
  Tell(journal, stopped ? Level::kInfo : Level::kError, "stopped",
       stopped ? json::object() : json::object{{"message", stopped.error().message()}});
  return stopped;
}

int Serve(const ServeFlags& flags) {
  const auto settings = ReadSettings(flags);
  if (!settings) return Fail(settings.error());
  if (const auto terms = TermsOfDaemon(*settings); !terms) return Fail(terms.error());
  if (flags.check) {
    fmt::print("{}", service::config::Show(*settings));
    return 0;
  }
  const auto journal =
      log::Journal::Open({settings->log_file, settings->log_detail, FormatOf(*settings)});
  if (!journal) return Fail(journal.error());
  const auto served = ServeUntilToldToStop(flags, *settings, **journal);
  return served ? 0 : Fail(served.error());
}

struct ServeFlag {
  const char* flag;
  const char* key;
  const char* says;
};
constexpr ServeFlag kOneValue[] = {
    {"--state", "state", "The directory of images, log and tokens."},
    {"--socket-group", "socket_group", "A group whose members may connect to the Unix socket."},
    {"--database", "database",
     "Where the log's searchable copy is kept: postgresql://… or sqlite:PATH."},
    {"--level", "level", "strict, standard or relaxed, for requests that name none."},
    {"--policy", "policy", "A policy file, for requests that name no level."},
    {"--pool", "pool", "Cells that are kept ready."},
    {"--jobs", "jobs", "Runs at once."},
    {"--grace", "grace", "How long runs may go on after SIGTERM, such as 10s."},
    {"--log-detail", "log.detail", "minimal, standard or verbose."},
    {"--log-format", "log.format", "json, text or auto."},
    {"--log-file", "log.file", "Where log lines go instead of stderr."},
    {"--keep-workspaces", "retention.workspaces",
     "How long the files of ended sessions are kept, such as 24h."},
};
constexpr ServeFlag kLists[] = {
    {"--listen", "listen", "unix:PATH or HOST:PORT; may be given several times."},
    {"--levels", "levels", "A level that requests may name; may be given several times."},
    {"--allow-unenforced", "allow_unenforced", "A limit that may be missing on this machine."},
};

}  // namespace

void AddServeCommand(CLI::App& app, int& status) {
  auto* const command = app.add_subcommand("serve", "Serve the HTTP API.");
  const auto flags = std::make_shared<ServeFlags>();
  command->add_option("--config", flags->config, "Another belljar.toml than the usual one.");
  command->add_flag("--check", flags->check, "Print the settings that would hold, and end.");
  for (const ServeFlag& one : kOneValue) {
    CLI::Option* const option = command->add_option_function<std::string>(
        one.flag,
        [flags, &one](const std::string& text) {
          flags->given[one.key] = {{text}, false};
        },
        one.says);
    if (std::string_view(one.key) == "level") option->envname("BELLJAR_LEVEL");
  }
  for (const ServeFlag& one : kLists) {
    command->add_option_function<std::vector<std::string>>(
        one.flag,
        [flags, &one](const std::vector<std::string>& texts) {
          flags->given[one.key] = {texts, true};
        },
        one.says);
  }
  command->add_flag("--no-audit", flags->no_audit,
                    "Do not record runs: to see what the log costs.");
  AddSwitchOff(*command, flags->switch_off);
  command->callback([flags, &status] { status = Serve(*flags); });
}

}  // namespace belljar::door::cli
