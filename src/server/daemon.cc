#include "server/daemon.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <thread>

#include "audit/log.h"
#include "base/sys.h"
#include "callers/admission.h"
#include "callers/token_store.h"
#include "http/server.h"
#include "server/answers.h"
#include "server/events.h"
#include "server/metrics.h"
#include "server/service.h"
#include "server/session_keeper.h"
#include "storage/database.h"

namespace belljar::server {
namespace {

constexpr std::string_view kLocalCaller = "local";

// Held as long as the process lives, whatever ends it.
Result<Fd> LockState(const std::string& state_dir) {
  Fd lock = BJ_TRY(Open(state_dir + "/daemon.lock", O_RDWR | O_CREAT, 0600));
  if (::flock(lock.get(), LOCK_EX | LOCK_NB) == 0) return lock;
  if (errno != EWOULDBLOCK) return SysError("flock", state_dir + "/daemon.lock", errno);
  return Error(
      Kind::kUnavailable,
      fmt::format("another daemon serves {}: stop it, or name another --state", state_dir));
}

// For callers over TCP on this machine: a token that whoever may read the state directory has.
Result<> KeepLocalToken(callers::TokenStore& tokens, const std::string& path) {
  struct stat status {};
  if (::stat(path.c_str(), &status) == 0) return {};
  static_cast<void>(tokens.Remove(std::string(kLocalCaller)));  // one whose file was lost
  using callers::Quotas;
  const Quotas ample{Quotas::kMost, Quotas::kMost, Quotas::kMost, Quotas::kMostBytes};
  const std::string token =
      BJ_TRY(tokens.Add(std::string(kLocalCaller), callers::Scopes::All(), ample));
  const Fd file = BJ_TRY(Open(path, O_WRONLY | O_CREAT | O_EXCL, 0600));
  return WriteAll(file, token + "\n", path);
}

std::size_t JobsOr(std::size_t jobs) {
  return jobs > 0 ? jobs : 2 * std::max<std::size_t>(1, std::thread::hardware_concurrency());
}

Result<> MakePrivateDir(const std::string& dir) {
  std::error_code failed;
  std::filesystem::create_directories(dir, failed);
  if (failed) return SysError("mkdir", dir, failed.value());
  return {};
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

// In the order of making; taken apart in the opposite one.
struct Daemon::Parts {
  DaemonOptions options;
  Fd lock;
  std::string token_file;
  std::unique_ptr<audit::Log> log;
  std::unique_ptr<storage::Database> database;  // of the tokens
  std::unique_ptr<callers::TokenStore> tokens;
  std::unique_ptr<callers::Admission> admission;
  std::unique_ptr<engine::Engine> engine;
  Events events;
  Metrics metrics;
  std::unique_ptr<storage::Database> session_rows;
  std::unique_ptr<SessionKeeper> keeper;
  std::unique_ptr<engine::Sessions> sessions;
  std::unique_ptr<Service> service;
  std::unique_ptr<http::Server> http;
};

Daemon::Daemon(std::unique_ptr<Parts> parts) : parts_(std::move(parts)) {}
Daemon::~Daemon() = default;

std::vector<std::string> Daemon::addresses() const { return parts_->http->addresses(); }
const std::string& Daemon::token_file() const { return parts_->token_file; }
const engine::Engine& Daemon::engine() const { return *parts_->engine; }

Result<> Daemon::OpenStores(Parts& parts) {
  const std::string& state = parts.options.engine.state_dir;
  parts.lock = BJ_TRY(LockState(state));
  audit::Log::Options log;
  log.dir = state;
  log.database = parts.options.database;
  parts.log = BJ_TRY(audit::Log::Open(std::move(log)).While("audit log"));
  parts.database = BJ_TRY(storage::Database::Open("sqlite:" + state + "/belljar.db"));
  parts.tokens = BJ_TRY(callers::TokenStore::Open(*parts.database, ::geteuid()).While("tokens"));
  parts.token_file = state + "/token";
  return KeepLocalToken(*parts.tokens, parts.token_file);
}

Result<> Daemon::OpenKeeper(Parts& parts) {
  KeeperOptions options;
  options.state_dir = parts.options.engine.state_dir;
  options.keep = parts.options.keep_workspaces;
  options.on_end = [&parts](const engine::SessionInfo& info) {
    parts.events.Publish(info.caller, "session", ToJson(info));
  };
  parts.session_rows =
      BJ_TRY(storage::Database::Open("sqlite:" + options.state_dir + "/belljar.db"));
  parts.keeper = BJ_TRY(
      SessionKeeper::Open(std::move(options), *parts.log, *parts.session_rows).While("sessions"));
  return {};
}

Result<> Daemon::Assemble(Parts& parts) {
  const std::size_t jobs = JobsOr(parts.options.jobs);
  callers::Capacity capacity;
  capacity.runs = static_cast<std::uint32_t>(jobs);
  capacity.runs_of_one = std::max(1U, capacity.runs * 3 / 4);
  parts.admission = std::make_unique<callers::Admission>(capacity);
  BJ_TRY(OpenKeeper(parts));
  parts.sessions = std::make_unique<engine::Sessions>(*parts.engine, engine::SessionBounds(),
                                                      parts.keeper.get());
  parts.metrics.Watch("belljar_sessions", "Sessions that live.",
                      [&parts] { return static_cast<double>(parts.sessions->living()); });
  parts.service.reset(new Service{*parts.engine, *parts.sessions, *parts.keeper, *parts.tokens,
                                  *parts.admission, *parts.log, parts.events, parts.metrics});
  http::Options options;
  for (const std::string& address : parts.options.listen) BJ_TRY(MakeParent(address));
  options.listen = parts.options.listen;
  options.authenticate = [&service = *parts.service](const http::Request& request) {
    return Authenticate(service, request);
  };
  options.router = BJ_TRY(MakeRouter(*parts.service));
  parts.http = BJ_TRY(http::Server::Create(std::move(options)).While("listen"));
  return {};
}

Result<std::unique_ptr<Daemon>> Daemon::Create(const DaemonOptions& options,
                                               const image::OnProgress& on_progress) {
  auto parts = std::make_unique<Parts>();
  parts->options = options;
  BJ_TRY(MakePrivateDir(options.engine.state_dir));
  BJ_TRY(OpenStores(*parts));
  engine::Options wired = options.engine;
  wired.log = parts->log.get();
  parts->engine = BJ_TRY(engine::Engine::Create(wired, on_progress));
  BJ_TRY(Assemble(*parts));
  return std::unique_ptr<Daemon>(new Daemon(std::move(parts)));
}

Result<> Daemon::Note(audit::Event event) {
  audit::Entry entry;
  entry.event = event;
  entry.caller = "belljar";
  entry.detail = {{"version", BELLJAR_VERSION}};
  BJ_TRY(parts_->log->Append(entry));
  return {};
}

Result<> Daemon::Serve(int stop) {
  BJ_TRY(Note(audit::Event::kStart));
  BJ_TRY(parts_->engine->Warm(policy::Request(), parts_->options.engine.pool_target));
  BJ_TRY(parts_->http->Start());
  pollfd asked{stop, POLLIN, 0};
  while (::poll(&asked, 1, -1) < 0 && errno == EINTR) {
  }
  return Stop();
}

Result<> Daemon::Stop() {
  const auto drained =
      parts_->http->Drain(std::chrono::steady_clock::now() + parts_->options.grace);
  parts_->http.reset();  // what is still running is cut off, and its cells go
  parts_->sessions.reset();
  BJ_TRY(Note(audit::Event::kStop));
  BJ_TRY(parts_->log->Seal());
  return drained;
}

}  // namespace belljar::server
