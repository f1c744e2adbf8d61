#include "service/daemon.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <thread>

#include "foundation/base/sys.h"
#include "foundation/http/server/listener.h"
#include "foundation/http/server/server.h"
#include "foundation/storage/database.h"
#include "foundation/storage/state_dir.h"
#include "judgement/approval/approvals.h"
#include "record/log.h"
#include "resource/skill/registry.h"
#include "run/audit_entry.h"
#include "run/session/session_json.h"
#include "run/snapshot/store.h"
#include "run/stored_skills.h"
#include "service/access_audit.h"
#include "service/alerts.h"
#include "service/callers/admission.h"
#include "service/callers/token_store.h"
#include "service/daemon_file.h"
#include "service/events.h"
#include "service/log_lines.h"
#include "service/metrics.h"
#include "service/reloadable_state.h"
#include "service/service.h"

namespace belljar::service {
namespace {

constexpr std::string_view kLocalCaller = "local";
constexpr int kDrainLook = 10;  // poll interval in milliseconds
// Time for cut-off runs: each is interrupted, answered, and its cell torn down.
constexpr std::chrono::seconds kCutTime{3};
constexpr std::chrono::seconds kLastAnswers{2};

// Takes the lock of the state directory, which the kernel releases at the end of the process.
Result<Fd> LockState(const std::string& state_dir) {
  Fd lock = BJ_TRY(Open(DaemonFile(state_dir), O_RDWR | O_CREAT, 0600));
  if (::flock(lock.get(), LOCK_EX | LOCK_NB) == 0) return lock;
  if (errno != EWOULDBLOCK) return SysError("flock", DaemonFile(state_dir), errno);
  return Error(
      Kind::kUnavailable,
      fmt::format("another daemon serves {}: stop it, or name another --state", state_dir));
}

// Creates the token for callers over TCP on this machine, in a file of the state directory that
// only its owner can read.
Result<> KeepLocalToken(callers::TokenStore& tokens, const std::string& path) {
  struct stat status {};
  if (::stat(path.c_str(), &status) == 0) return {};
  static_cast<void>(tokens.Remove(std::string(kLocalCaller)));  // a token whose file was lost
  using callers::Quotas;
  const Quotas ample{Quotas::kMost, Quotas::kMost, Quotas::kMost, Quotas::kMostBytes};
  const std::string token =
      BJ_TRY(tokens.Add(std::string(kLocalCaller), callers::Scopes::All(), ample));
  const Fd file = BJ_TRY(Open(path, O_WRONLY | O_CREAT | O_EXCL, 0600));
  return WriteAll(file, token + "\n", path);
}

std::chrono::seconds Seconds(std::chrono::milliseconds time) {
  return std::chrono::ceil<std::chrono::seconds>(time);
}

callers::Capacity CapacityOf(const config::Settings& settings) {
  const std::size_t cpus = std::max<std::size_t>(1, std::thread::hardware_concurrency());
  callers::Capacity capacity;
  capacity.runs = static_cast<std::uint32_t>(settings.jobs > 0 ? settings.jobs : 2 * cpus);
  capacity.runs_of_one = std::max(1U, capacity.runs * 3 / 4);
  capacity.runs_beside_others = std::max(2U, capacity.runs / 2) - 1;
  capacity.sessions = static_cast<std::uint32_t>(settings.sessions);
  capacity.memory_bytes = settings.memory_bytes;
  capacity.memory_of_one = std::min(settings.memory_of_one, settings.memory_bytes);
  capacity.waiting = settings.waiting;
  capacity.waiting_of_one = settings.waiting_of_one;
  capacity.longest_wait = settings.longest_wait;
  return capacity;
}

Result<> MakeParent(const std::string& address) {
  if (!address.starts_with("unix:")) return {};
  const std::string path = address.substr(5);
  const auto slash = path.rfind('/');
  if (slash == std::string::npos || slash == 0) return {};
  const std::string dir = path.substr(0, slash);
  if (::mkdir(dir.c_str(), 0755) != 0 && errno != EEXIST) return SysError("mkdir", dir, errno);
  return {};
}

}  // namespace

std::string DefaultSocket(const std::string& state_dir) {
  if (::geteuid() == 0) return "unix:/run/belljar/belljar.sock";
  const char* const runtime = std::getenv("XDG_RUNTIME_DIR");
  const std::string dir = runtime == nullptr || *runtime == '\0' ? state_dir + "/run" : runtime;
  return "unix:" + dir + (runtime == nullptr ? "" : "/belljar") + "/belljar.sock";
}

// Created in this order, destroyed in reverse.
struct Daemon::Parts {
  Parts(DaemonOptions chosen, log::Journal& lines, ReloadableState now)
      : options(std::move(chosen)), journal(lines), live(std::move(now)) {}

  DaemonOptions options;
  log::Journal& journal;
  ReloadableState live;
  Fd lock;
  std::string token_file;
  std::unique_ptr<record::Log> log;
  std::unique_ptr<storage::Database> database;  // database of the tokens
  std::unique_ptr<callers::TokenStore> tokens;
  std::unique_ptr<storage::Database> change_rows;
  std::unique_ptr<AccessAudit> book;
  std::unique_ptr<callers::Admission> admission;
  std::unique_ptr<storage::Database> question_rows;
  std::unique_ptr<judgement::approval::Approvals> approvals;
  std::optional<run::OpenApprovals> opened_approvals;
  std::unique_ptr<storage::Database> skill_rows;
  std::unique_ptr<resource::skill::Registry> registry;
  std::unique_ptr<Alerts> alerts;
  std::unique_ptr<run::Engine> engine;
  Events events;
  EventStreams listeners{events};
  std::unique_ptr<run::StoredSkills> skills;
  Metrics metrics;
  std::unique_ptr<run::snapshot::Store> trees;
  std::unique_ptr<storage::Database> session_rows;
  std::unique_ptr<run::SessionArchive> archive;
  std::unique_ptr<run::Sessions> sessions;
  std::unique_ptr<Service> service;
  std::unique_ptr<http::server::Server> http;
};

Daemon::Daemon(std::unique_ptr<Parts> parts) : parts_(std::move(parts)) {}
Daemon::~Daemon() = default;

std::vector<std::string> Daemon::addresses() const { return parts_->http->addresses(); }
const std::string& Daemon::token_file() const { return parts_->token_file; }
const run::Engine& Daemon::engine() const { return *parts_->engine; }
std::size_t Daemon::orphans() const { return parts_->archive->orphans(); }

Result<> Daemon::OpenStores(Parts& parts) {
  const std::string& state = parts.options.engine.state_dir;
  parts.lock = BJ_TRY(LockState(state));
  record::Log::Options log;
  log.dir = state;
  log.database = parts.options.settings.database;
  log.body_retention = Seconds(parts.options.settings.keep_bodies);
  parts.log = BJ_TRY(record::Log::Open(std::move(log)).While("audit log"));
  parts.database = BJ_TRY(storage::Database::Open("sqlite:" + state + "/belljar.db"));
  parts.tokens = BJ_TRY(callers::TokenStore::Open(*parts.database, ::geteuid()).While("tokens"));
  parts.change_rows = BJ_TRY(storage::Database::Open("sqlite:" + state + "/belljar.db"));
  AccessAudit::Options of_book;
  of_book.on_trouble = [&journal = parts.journal](const Error& error) {
    LogDaemonEvent(journal, log::Level::kWarning, "not_recorded", {{"message", error.message()}});
  };
  parts.book = std::make_unique<AccessAudit>(*parts.log, *parts.change_rows, std::move(of_book));
  parts.question_rows = BJ_TRY(storage::Database::Open("sqlite:" + state + "/belljar.db"));
  parts.approvals =
      BJ_TRY(judgement::approval::Approvals::Open(*parts.question_rows, state + "/approvals.key")
                 .While("approvals"));
  parts.skill_rows = BJ_TRY(storage::Database::Open("sqlite:" + state + "/belljar.db"));
  parts.registry = BJ_TRY(
      resource::skill::Registry::Open(*parts.skill_rows, state + "/skills.key").While("skills"));
  parts.token_file = state + "/token";
  return KeepLocalToken(*parts.tokens, parts.token_file);
}

Result<> Daemon::OpenArchive(Parts& parts) {
  run::ArchiveOptions options;
  options.state_dir = parts.options.engine.state_dir;
  options.keep = Seconds(parts.options.settings.keep_workspaces);
  options.bytes_of_one = parts.options.settings.keep_workspace_bytes;
  options.on_end = [&parts](const run::SessionInfo& info) {
    parts.events.Publish(info.caller, "session",
                         WithTraceContext(ToJson(info), info.correlation_id, info.traceparent));
    LogSessionEnd(parts.journal, info);
  };
  options.on_trouble = [&parts](const std::string& id, const Error& error) {
    parts.journal.Write({log::Level::kWarning,
                         log::Detail::kMinimal,
                         "session_not_kept",
                         id,
                         {},
                         {},
                         {},
                         {{"message", error.message()}}});
  };
  parts.session_rows =
      BJ_TRY(storage::Database::Open("sqlite:" + options.state_dir + "/belljar.db"));
  parts.archive =
      BJ_TRY(run::SessionArchive::Open(std::move(options), *parts.log, *parts.session_rows)
                 .While("sessions"));
  return {};
}

Result<> Daemon::Assemble(Parts& parts) {
  const config::Settings& settings = parts.options.settings;
  parts.admission = std::make_unique<callers::Admission>(CapacityOf(settings));
  BJ_TRY(OpenArchive(parts));
  run::SessionBounds bounds;
  bounds.sessions = settings.sessions;
  parts.trees =
      BJ_TRY(run::snapshot::Store::Open(parts.options.engine.state_dir, {}).While("checkpoints"));
  parts.sessions =
      std::make_unique<run::Sessions>(*parts.engine, *parts.trees, bounds, parts.archive.get());
  for (const std::string& sentence : parts.sessions->troubles()) {
    LogDaemonEvent(parts.journal, log::Level::kWarning, "paused_unreadable",
                   {{"message", sentence}});
  }
  parts.metrics.Watch("belljar_sessions", "Sessions that live.",
                      [&parts] { return static_cast<double>(parts.sessions->table().living()); });
  parts.skills = std::make_unique<run::StoredSkills>(
      *parts.engine, *parts.registry, parts.log.get(), WatchSkills(parts.events, parts.journal));
  parts.service.reset(new Service{*parts.engine, *parts.sessions, *parts.approvals, *parts.archive,
                                  *parts.tokens, *parts.admission, *parts.log, parts.events,
                                  parts.listeners, parts.metrics, parts.live, parts.journal,
                                  *parts.skills, parts.options.settings.session_timeout});
  return {};
}

Result<> Daemon::Listen(Parts& parts) {
  http::server::Options options;
  options.listen = parts.options.settings.listen;
  options.listening.socket_group = parts.options.settings.socket_group;
  for (const std::string& address : options.listen) BJ_TRY(MakeParent(address));
  options.authenticate = [&service = *parts.service](const http::server::Request& request) {
    return Authenticate(service, request);
  };
  options.router = BJ_TRY(parts.options.make_router(*parts.service));
  options.kept_headers = {std::string(kCorrelationHeader), std::string(kTraceHeader)};
  options.on_served = [&parts](const http::server::Served& served) {
    LogServed(parts.journal, served);
    parts.book->Answered(served);
  };
  options.on_fault = [&parts](const std::string& fault, const http::server::Headers& headers) {
    LogFault(parts.journal, fault, headers);
  };
  parts.http = BJ_TRY(http::server::Server::Create(std::move(options)));
  return {};
}

Result<std::unique_ptr<Daemon>> Daemon::Create(const DaemonOptions& options, log::Journal& journal,
                                               const cell::image::OnProgress& on_progress) {
  // Checked before an image is copied, which takes a while.
  for (const std::string& address : options.settings.listen) {
    BJ_TRY(http::server::Listener::CheckAddress(address));
  }
  ReloadableState live = BJ_TRY(ReloadableState::Create(options.settings.limits));
  auto parts = std::make_unique<Parts>(options, journal, std::move(live));
  BJ_TRY(storage::PrepareStateDir(options.engine.state_dir));
  BJ_TRY(OpenStores(*parts));
  run::Options wired = options.engine;
  if (options.record_runs) wired.log = parts->log.get();
  wired.approvals = &parts->opened_approvals.emplace(*parts->approvals);
  parts->alerts = std::make_unique<Alerts>(journal, wired.log);
  wired.on_alert = [&alerts = *parts->alerts](const auto& alert) { return alerts.Raise(alert); };
  wired.on_recovered = [&journal](const std::string& sentence) {
    LogDaemonEvent(journal, log::Level::kWarning, "recovered", {{"message", sentence}});
  };
  wired.on_tool_log = [&journal](const std::string& server, std::string_view line) {
    journal.Write({log::Level::kInfo,
                   log::Detail::kStandard,
                   "tool_server",
                   {},
                   {},
                   {},
                   {},
                   {{"server", server}, {"line", line}}});
  };
  parts->engine = BJ_TRY(run::Engine::Create(wired, on_progress));
  BJ_TRY(Assemble(*parts));
  BJ_TRY(Listen(*parts));
  return std::unique_ptr<Daemon>(new Daemon(std::move(parts)));
}

Result<> Daemon::Note(record::Event event, json::object detail) {
  run::Origin own;
  own.caller = "belljar";
  detail["version"] = BELLJAR_VERSION;
  BJ_TRY(parts_->log->Append(run::EntryFrom(event, own, std::move(detail))));
  return {};
}

// Records leftovers of a previous daemon that did not shut down in order.
Result<> Daemon::NoteRecovery() {
  const std::size_t groups = parts_->engine->cells().cgroups().leftovers_removed;
  if (orphans() == 0 && groups == 0) return {};
  const json::object found = {{"sessions", orphans()}, {"control_groups", groups}};
  LogDaemonEvent(parts_->journal, log::Level::kWarning, "recovered", found);
  return Note(record::Event::kRecovered, found);
}

Result<> Daemon::Start() {
  BJ_TRY(NoteRecovery());
  BJ_TRY(Note(record::Event::kStart, {}));
  request::Request usual;
  usual.limits = parts_->options.settings.limits;
  // A few cells are ready for the first callers; the rest are built while the daemon is idle.
  constexpr std::size_t kAtStart = 8;
  BJ_TRY(
      parts_->engine->cells().Warm(usual, std::min(kAtStart, parts_->options.engine.pool_target)));
  BJ_TRY(NoteDaemon(parts_->lock, addresses()));
  return parts_->http->Start();
}

// The change of policy is in force even if it cannot be recorded.
void Daemon::NotePolicy(const run::Terms& terms) {
  json::object detail = {{"levels", json::value_from(terms.levels)}};
  if (terms.own) detail["policy"] = {{"name", terms.own->name}, {"content", terms.own->content}};
  const auto noted = Note(record::Event::kPolicy, std::move(detail));
  if (noted) return;
  LogFault(parts_->journal, noted.error().message(), {});
}

std::vector<std::string> Daemon::Reload(const config::Settings& wanted, run::Terms terms) {
  config::Settings& running = parts_->options.settings;
  auto fixed = config::FixedDifferences(running, wanted);
  running.grace = wanted.grace;
  parts_->live.SetLimits(wanted.limits);
  NotePolicy(terms);
  parts_->engine->SetTerms(std::move(terms));
  parts_->archive->SetKeep(Seconds(wanted.keep_workspaces));
  parts_->log->SetBodyRetention(Seconds(wanted.keep_bodies));
  return fixed;
}

// Waits for runs to end. False when some are left at the deadline, or when `hurry` ends the wait.
bool Daemon::AwaitRuns(std::chrono::steady_clock::time_point deadline, int hurry) {
  pollfd asked{hurry, POLLIN, 0};
  while (parts_->admission->load().runs > 0) {
    if (std::chrono::steady_clock::now() >= deadline) return false;
    if (::poll(&asked, hurry < 0 ? 0 : 1, kDrainLook) > 0) return false;
  }
  return true;
}

Result<> Daemon::Stop(int hurry) {
  const auto now = [] { return std::chrono::steady_clock::now(); };
  parts_->live.Stop();
  parts_->admission->Close();
  parts_->events.Close();
  const bool finished = AwaitRuns(now() + parts_->options.settings.grace, hurry);
  if (!finished) {
    parts_->live.Cut();
    AwaitRuns(now() + kCutTime, -1);
  }
  const auto drained = parts_->http->Drain(now() + kLastAnswers);
  parts_->http.reset();  // cuts off answers still being sent
  parts_->archive->Gather();
  parts_->sessions.reset();
  parts_->archive->Sweep();
  parts_->book->Close();
  BJ_TRY(Note(record::Event::kStop, {{"runs_cut", !finished}}));
  BJ_TRY(parts_->log->Seal());
  return drained;
}

}  // namespace belljar::service
