#include "cell/guest/shell/bash_session.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <optional>
#include <utility>
#include <vector>

#include "cell/guest/shell/shell_line.h"
#include "cell/guest/shell/young_child.h"
#include "foundation/base/json.h"

namespace belljar::cell::guest {
namespace {

constexpr int kReportFd = 61;  // in the bash: reports with $? are written to it
constexpr int kErrorsFd = 62;  // in the bash, until its first line has run: the real stderr
constexpr int kInterrupted = 128 + SIGINT;
constexpr int kExitBadStatement = 5;

// No prompts, no history, no mail. stderr is restored after bash has complained about its missing
// terminal.
constexpr std::string_view kFirstLine =
    "PS1= PS2= PROMPT_COMMAND=; set +H +o history; unset HISTFILE MAILCHECK PROMPT_COMMAND; "
    "exec 2>&62 62>&-; builtin echo 0 0 - >&61\n";

// The time after an interrupt until its effect is checked.
constexpr timespec kLookAgain = {0, 100'000'000};

volatile sig_atomic_t interrupts = 0;

void CountInterrupt(int) { interrupts = interrupts + 1; }
void WakeUp(int) {}

[[noreturn]] void Refuse(const std::string& sentence, int status) {
  ::dprintf(2, "belljar: %s\n", sentence.c_str());
  ::_exit(status);
}

bool WriteWhole(int fd, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t n = ::write(fd, bytes.data(), bytes.size());
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(n));
  }
  return true;
}

bool WriteFile(const std::string& path, std::string_view text) {
  const int fd = ::open(path.c_str(), O_CREAT | O_TRUNC | O_WRONLY | O_CLOEXEC | O_NOFOLLOW, 0600);
  if (fd < 0) return false;
  const bool whole = WriteWhole(fd, text);
  ::close(fd);
  return whole;
}

struct Pipe {
  int read = -1;
  int write = -1;
};

Pipe NewPipe() {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) Refuse("cannot make a pipe for bash", 125);
  return {ends[0], ends[1]};
}

class Driver {
 public:
  explicit Driver(const BashSession& session) : session_(session) {}

  void Start();
  [[noreturn]] void Serve();

 private:
  [[noreturn]] void BecomeBash(const Pipe& commands, const Pipe& reports);
  Frame NextFrame();
  StatementMessage NextStatement();
  void Run(const StatementMessage& statement);
  void ReadControl();
  ShellReport AwaitReport(std::uint64_t n);
  void Wait(int report_fd);
  void PassInterrupts();
  void LookAgain();
  void ForgetInterrupts();
  [[noreturn]] void EndAsBashEnded();
  std::optional<std::string> LineFor(const StatementMessage& statement);
  void Done(const char* status, int exit_code);
  void Say(FrameType type, const json::object& payload);
  void SayError(const char* type, const char* message);
  std::string PathOf(std::string_view name) const {
    return session_.directory + "/" + std::string(name);
  }

  const BashSession& session_;
  FrameReader reader_{Sender::kSupervisor};
  std::vector<Frame> frames_;  // received, and not yet handled
  pid_t bash_ = -1;
  int commands_ = -1;
  int reports_ = -1;
  std::string report_;  // an incomplete line
  std::optional<StatementMessage> running_;
  bool interrupted_ = false;  // SIGINT came while the statement ran
  bool reseeds_ = false;      // whether the next statement sets RANDOM to a new seed
  double interrupted_at_ = 0;
  bool reported_again_ = false;
  ShellReport last_;
};

void Driver::Start() {
  if (::mkdir(session_.directory.c_str(), 0700) != 0 && errno != EEXIST) {
    Refuse("cannot make a directory for the session's statements", 125);
  }
  const Pipe commands = NewPipe();
  const Pipe reports = NewPipe();
  struct sigaction action {};
  action.sa_handler = CountInterrupt;
  ::sigaction(SIGINT, &action, nullptr);
  action.sa_handler = WakeUp;
  ::sigaction(SIGCHLD, &action, nullptr);
  action.sa_handler = SIG_IGN;
  ::sigaction(SIGPIPE, &action, nullptr);
  // Both signals are unblocked only while the driver waits.
  sigset_t blocked;
  ::sigemptyset(&blocked);
  ::sigaddset(&blocked, SIGINT);
  ::sigaddset(&blocked, SIGCHLD);
  ::sigprocmask(SIG_BLOCK, &blocked, nullptr);
  bash_ = ::fork();
  if (bash_ < 0) Refuse("cannot start bash", 125);
  if (bash_ == 0) BecomeBash(commands, reports);
  ::setpgid(bash_, bash_);
  ::close(commands.read);
  ::close(reports.write);
  commands_ = commands.write;
  reports_ = reports.read;
}

void Driver::BecomeBash(const Pipe& commands, const Pipe& reports) {
  ::setpgid(0, 0);
  struct sigaction action {};
  action.sa_handler = SIG_DFL;
  for (const int signal : {SIGINT, SIGCHLD, SIGPIPE}) ::sigaction(signal, &action, nullptr);
  sigset_t none;
  ::sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
  const int null = ::open("/dev/null", O_WRONLY | O_CLOEXEC);
  if (::dup2(commands.read, 0) < 0 || ::dup2(reports.write, kReportFd) < 0 ||
      ::dup2(2, kErrorsFd) < 0 || ::dup2(null, 2) < 0) {
    ::_exit(125);
  }
  ::close(session_.control_fd);
  std::vector<std::string> variables;
  for (const auto& [name, value] : session_.message.env) variables.push_back(name + "=" + value);
  std::vector<char*> env;
  for (std::string& variable : variables) env.push_back(variable.data());
  env.push_back(nullptr);
  std::array<std::string, 5> words = {"bash", "--norc", "--noprofile", "--noediting", "-i"};
  std::array<char*, 6> argv{};
  for (std::size_t i = 0; i < words.size(); ++i) argv[i] = words[i].data();
  ::setenv("PATH", kBashPath, 1);
  ::execvpe(argv[0], argv.data(), env.data());
  ::dprintf(kErrorsFd, "belljar: bash: %s\n", ::strerror(errno));
  ::_exit(127);
}

void Driver::Say(FrameType type, const json::object& payload) {
  if (!WriteWhole(session_.control_fd, EncodeFrame(type, json::serialize(payload)))) {
    ::kill(-bash_, SIGKILL);
    ::_exit(0);
  }
}

void Driver::SayError(const char* type, const char* message) {
  Say(FrameType::kError, {{"type", type}, {"message", message}, {"traceback", ""}});
}

void Driver::Done(const char* status, int exit_code) {
  json::object done;
  done["n"] = running_->n;
  done["status"] = status;
  done["exit_code"] = exit_code;
  done["file_operations"] = 0;
  running_.reset();
  Say(FrameType::kDone, done);
}

// Sends SIGINT to the shell and its foreground children; background children ignore it. Between
// statements an interrupt is dropped.
void Driver::PassInterrupts() {
  if (interrupts == 0) return;
  interrupts = 0;
  if (!running_) return;
  interrupted_ = true;
  reported_again_ = false;
  interrupted_at_ = SecondsSinceBoot();
  ::kill(-bash_, SIGINT);
}

// An interrupt can be lost: it came between two children, or bash dropped a part of the report
// line.
void Driver::LookAgain() {
  if (HasYoungChild(bash_, interrupted_at_)) {
    interrupted_at_ = SecondsSinceBoot();
    ::kill(-bash_, SIGINT);
  } else if (!std::exchange(reported_again_, true)) {
    static_cast<void>(WriteWhole(commands_, "\n" + ReportLine(running_->n)));
  }
}

// Interrupts from before a statement do not apply to it, even if they are still pending.
void Driver::ForgetInterrupts() {
  sigset_t interrupt;
  ::sigemptyset(&interrupt);
  ::sigaddset(&interrupt, SIGINT);
  const timespec now{};
  while (::sigtimedwait(&interrupt, nullptr, &now) == SIGINT) {
  }
  interrupts = 0;
  interrupted_ = false;
}

// Reads frames from the supervisor; if it has gone, kills the bash and exits.
void Driver::ReadControl() {
  std::array<char, 65536> chunk;
  const ssize_t n = ::read(session_.control_fd, chunk.data(), chunk.size());
  if (n < 0 && (errno == EINTR || errno == EAGAIN)) return;
  if (n <= 0) {
    ::kill(-bash_, SIGKILL);
    ::_exit(0);
  }
  auto frames = reader_.Feed({chunk.data(), static_cast<std::size_t>(n)});
  if (!frames) Refuse(frames.error().message(), kExitBadStatement);
  for (Frame& frame : *frames) frames_.push_back(std::move(frame));
}

// Sleeps until a signal, data from the supervisor or, unless `report_fd` is negative, a report.
void Driver::Wait(int report_fd) {
  std::array<pollfd, 2> fds = {pollfd{session_.control_fd, POLLIN, 0}, {report_fd, POLLIN, 0}};
  sigset_t open;
  ::sigemptyset(&open);
  const bool looks = running_ && interrupted_ && report_fd >= 0;
  const int ready = ::ppoll(fds.data(), fds.size(), looks ? &kLookAgain : nullptr, &open);
  PassInterrupts();
  if (ready == 0) LookAgain();
  if (ready > 0 && fds[0].revents != 0) ReadControl();
  if (ready <= 0 || fds[1].revents == 0) return;
  std::array<char, 256> chunk;
  const ssize_t n = ::read(report_fd, chunk.data(), chunk.size());
  if (n > 0) {
    report_.append(chunk.data(), static_cast<std::size_t>(n));
  } else if (n == 0) {
    EndAsBashEnded();
  }
}

// Waits for the report of statement `n`. Reports with other numbers repeat those of earlier
// statements.
ShellReport Driver::AwaitReport(std::uint64_t n) {
  for (;;) {
    while (report_.find('\n') == std::string::npos && report_.size() < 256) Wait(reports_);
    const std::size_t end = report_.find('\n');
    const std::optional<ShellReport> report = ParseReport(report_.substr(0, end));
    report_.erase(0, end == std::string::npos ? end : end + 1);
    if (report && report->n == n) return *report;
  }
}

// The bash has closed its pipes: it is about to end, or has exec'd another program.
void Driver::EndAsBashEnded() {
  int status = 0;
  while (::waitpid(bash_, &status, WNOHANG) != bash_) Wait(-1);
  const int code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  if (WIFEXITED(status) && running_) Done("exit", code);
  if (WIFSIGNALED(status)) {
    ::signal(WTERMSIG(status), SIG_DFL);
    ::kill(::getpid(), WTERMSIG(status));
    sigset_t none;
    ::sigemptyset(&none);
    ::sigprocmask(SIG_SETMASK, &none, nullptr);
  }
  ::_exit(code);
}

Frame Driver::NextFrame() {
  while (frames_.empty()) Wait(reports_);
  Frame frame = std::move(frames_.front());
  frames_.erase(frames_.begin());
  return frame;
}

StatementMessage Driver::NextStatement() {
  Frame frame = NextFrame();
  while (frame.type == FrameType::kRestore) {  // the whole container was restored
    const auto as = DecodeRestore(frame.payload);
    if (!as) Refuse(as.error().message(), kExitBadStatement);
    reseeds_ = *as == RestoreAs::kBranch;
    Say(FrameType::kReady, {});
    frame = NextFrame();
  }
  if (frame.type != FrameType::kStatement) Refuse("expected a STATEMENT", kExitBadStatement);
  auto statement = DecodeStatement(frame.payload);
  if (!statement) Refuse(statement.error().message(), kExitBadStatement);
  return *std::move(statement);
}

// The command line that runs the statement; nullopt if its files cannot be written.
std::optional<std::string> Driver::LineFor(const StatementMessage& statement) {
  const std::string script = PathOf(FileNameFor(statement.name));
  if (!WriteFile(script, statement.code)) return std::nullopt;
  std::string line;
  if (std::exchange(reseeds_, false)) {  // each branch gets a different seed
    std::uint16_t seed = 0;
    if (::getrandom(&seed, sizeof(seed), 0) != sizeof(seed)) return std::nullopt;
    line = "RANDOM=" + std::to_string(seed) + "; ";
  }
  // Restores $? of the last statement, which the report line has changed.
  if (last_.status != 0 && !last_.errexit) {
    if (!WriteFile(PathOf("status"), "return " + std::to_string(last_.status) + "\n")) {
      return std::nullopt;
    }
    line += ". " + Quoted(PathOf("status")) + "; ";
  }
  line += ". " + Quoted(script);
  for (const std::string& arg : statement.args) line += " " + Quoted(arg);
  std::string input = "/dev/null";
  if (statement.stdin_text) {
    input = PathOf("stdin");
    if (!WriteFile(input, *statement.stdin_text)) return std::nullopt;
  }
  return line + " <" + Quoted(input) + " 61>&-\n";
}

void Driver::Run(const StatementMessage& statement) {
  ForgetInterrupts();
  running_ = statement;
  const std::optional<std::string> line = LineFor(statement);
  if (!line) {
    SayError("Error", "the code and its stdin do not fit into the workspace's limit");
    Done("exception", 1);
    return;
  }
  // If the bash has gone, its report pipe shows that.
  static_cast<void>(WriteWhole(commands_, *line + ReportLine(statement.n)));
  last_ = AwaitReport(statement.n);
  if (reported_again_ && interrupted_) last_.status = kInterrupted;
  ::unlink(PathOf(FileNameFor(statement.name)).c_str());
  if (statement.stdin_text) ::unlink(PathOf("stdin").c_str());
  const bool interrupted = interrupted_ && last_.status != 0;
  if (interrupted) SayError("Interrupted", "the shell was interrupted by SIGINT");
  Done(interrupted ? "exception" : "ok", last_.status);
}

void Driver::Serve() {
  static_cast<void>(WriteWhole(commands_, kFirstLine));
  AwaitReport(0);
  Say(FrameType::kReady, {});
  for (;;) {
    const StatementMessage statement = NextStatement();
    Run(statement);
  }
}

}  // namespace

void ServeBash(const BashSession& session) {
  Driver driver(session);
  driver.Start();
  driver.Serve();
}

}  // namespace belljar::cell::guest
