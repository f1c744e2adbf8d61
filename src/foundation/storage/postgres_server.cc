#include "foundation/storage/postgres_server.h"

#include <fmt/format.h>
#include <grp.h>
#include <pwd.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <thread>
#include <vector>

#include "foundation/base/sys.h"
#include "foundation/storage/database.h"

namespace belljar::storage {
namespace {

namespace fs = std::filesystem;

constexpr std::chrono::seconds kStartLimit{60};

// The directory of the installed version's programs, such as /usr/lib/postgresql/15/bin.
std::string FindBinaries() {
  std::error_code ec;
  for (const auto& version : fs::directory_iterator("/usr/lib/postgresql", ec)) {
    const fs::path bin = version.path() / "bin";
    if (fs::exists(bin / "initdb")) return bin;
  }
  return "";
}

// The parent's pid from /proc/PID/stat, where it follows the name in brackets and the state: "77
// (postgres) S 76 ...".
pid_t ParentOf(const fs::path& process) {
  const auto stat = ReadFile(process / "stat", 4096);
  const std::size_t bracket = stat ? stat->rfind(')') : std::string::npos;
  return bracket == std::string::npos ? -1 : std::atoi(stat->c_str() + bracket + 4);
}

// The server's main process and its children. Each child calls setsid(), so there is no common
// process group.
std::vector<pid_t> ProcessesOf(pid_t server) {
  std::vector<pid_t> found = {server};
  for (const auto& entry : fs::directory_iterator("/proc")) {
    if (ParentOf(entry.path()) != server) continue;
    found.push_back(std::stoi(entry.path().filename()));
  }
  return found;
}

}  // namespace

// Ends the test program: tests without their server must not look like tests that passed.
void PostgresServer::Stumble(const std::string& what) {
  std::fprintf(stderr, "PostgreSQL for tests: %s\n", what.c_str());
  Stop();
  std::error_code ignored;
  fs::remove_all(dir_, ignored);
  std::abort();
}

PostgresServer& PostgresServer::Shared() {
  static PostgresServer server;
  return server;
}

PostgresServer::PostgresServer() : binaries_(FindBinaries()), uid_(::getuid()), gid_(::getgid()) {
  if (binaries_.empty()) Stumble("not installed (Debian: apt-get install postgresql)");
  if (uid_ == 0) {
    const passwd* const user = ::getpwnam("postgres");
    if (user == nullptr) Stumble("there is no user postgres to run it as");
    uid_ = user->pw_uid;
    gid_ = user->pw_gid;
  }
  auto made = Initialise();
  if (!made) Stumble(made.error().message());
  Start();
}

PostgresServer::~PostgresServer() {
  Stop();
  std::error_code ignored;
  fs::remove_all(dir_, ignored);
}

// The directory is not below TMPDIR: a socket's path has at most 107 bytes.
Result<> PostgresServer::Initialise() {
  std::string path = "/tmp/belljar-pg.XXXXXX";
  if (::mkdtemp(path.data()) == nullptr) return SysError("mkdtemp", path, errno);
  dir_ = path;
  BJ_TRY(Check("chown", dir_, [&] { return ::chown(dir_.c_str(), uid_, gid_); }));
  const pid_t pid = BJ_TRY(Spawn("initdb", fmt::format("--pgdata={}/data --username=belljar "
                                                       "--auth=trust --encoding=UTF8 --locale=C "
                                                       "--no-sync --no-instructions",
                                                       dir_)));
  int status = 0;
  BJ_TRY(Check("waitpid", "initdb", [&] { return ::waitpid(pid, &status, 0); }));
  if (status == 0) return {};
  return Error(Kind::kInternal, fmt::format("initdb failed: {}", *ReadFile(dir_ + "/log", 65536)));
}

// The server gets a session (setsid) of its own, so that Ctrl-C in the terminal does not reach it.
Result<pid_t> PostgresServer::Spawn(const std::string& program,
                                    const std::string& arguments) const {
  const std::string line =
      fmt::format("exec {}/{} {} >>{}/log 2>&1 </dev/null", binaries_, program, arguments, dir_);
  const pid_t pid = ::fork();
  if (pid < 0) return SysError("fork", program, errno);
  if (pid > 0) return pid;
  ::setsid();
  const bool dropped = ::geteuid() != 0 ||
                       (::setgroups(0, nullptr) == 0 && ::setgid(gid_) == 0 && ::setuid(uid_) == 0);
  // SIGINT is PostgreSQL's "fast" shutdown. The parent-death signal is set after setuid, because a
  // change of user clears it.
  if (!dropped || ::chdir(dir_.c_str()) != 0 || ::prctl(PR_SET_PDEATHSIG, SIGINT) != 0) {
    ::_exit(126);
  }
  ::execl("/bin/sh", "sh", "-c", line.c_str(), nullptr);
  ::_exit(127);
}

void PostgresServer::Start() {
  auto started = Spawn("postgres", fmt::format("-D {0}/data -k {0} -c listen_addresses='' "
                                               "-c fsync=off -c max_connections=20",
                                               dir_));
  if (!started) Stumble(started.error().message());
  pid_ = *started;
  const auto give_up = std::chrono::steady_clock::now() + kStartLimit;
  for (;;) {
    const auto opened = Database::Open(url());
    if (opened) return;
    if (std::chrono::steady_clock::now() > give_up) Stumble(opened.error().message());
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
}

void PostgresServer::Stop() {
  if (pid_ < 0) return;
  ::kill(pid_, SIGINT);
  int status = 0;
  while (::waitpid(pid_, &status, 0) < 0 && errno == EINTR) {
  }
  pid_ = -1;
}

void PostgresServer::SignalAll(int signal) const {
  for (const pid_t pid : ProcessesOf(pid_)) ::kill(pid, signal);
}
void PostgresServer::Freeze() const { SignalAll(SIGSTOP); }
void PostgresServer::Thaw() const { SignalAll(SIGCONT); }

std::string PostgresServer::url() const {
  std::string host;  // the directory of the socket, percent-encoded for the URL
  for (const char c : dir_) host += c == '/' ? "%2F" : std::string(1, c);
  return fmt::format("postgresql://belljar@{}/postgres", host);
}

std::string PostgresServer::NewPlace() {
  const std::string name = fmt::format("test_{}", ++places_);
  auto opened = Database::Open(url());
  if (!opened) Stumble(opened.error().message());
  // A name cannot be a statement parameter; this one is made from a counter and is safe.
  const auto made = (*opened)->Execute("CREATE SCHEMA " + name, {});
  if (!made) Stumble(made.error().message());
  return url() + "?options=-csearch_path%3D" + name;
}

}  // namespace belljar::storage
