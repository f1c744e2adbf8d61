#include <fcntl.h>
#include <malloc.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <condition_variable>
#include <cstdio>
#include <deque>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>

#include "base/sys.h"
#include "cmd/cancellation.h"
#include "cmd/command.h"
#include "cmd/ending.h"
#include "cmd/questions.h"
#include "cmd/remote_run.h"
#include "cmd/terminal.h"
#include "engine/asking.h"
#include "engine/assessment.h"

namespace belljar::cmd {
namespace {

using namespace std::chrono_literals;

// Output on its way to a caller who may be slow to read: the run, whose clock goes on, must not
// wait for that. What is queued is bounded by the run's own output limit.
class OutputQueue {
 public:
  void Push(int fd, std::string_view bytes) {
    const std::lock_guard lock(mutex_);
    pieces_.emplace_back(fd, std::string(bytes));
    changed_.notify_one();
  }

  // Returns when everything has been written.
  void Finish() {
    {
      const std::lock_guard lock(mutex_);
      ended_ = true;
      changed_.notify_one();
    }
    writer_.join();
    terminal_.Finish();
  }

  Result<> Written() const { return terminal_.Written(); }

 private:
  void WriteAll() {
    std::unique_lock lock(mutex_);
    for (;;) {
      changed_.wait(lock, [&] { return ended_ || !pieces_.empty(); });
      if (pieces_.empty()) return;
      const auto [fd, bytes] = std::move(pieces_.front());
      pieces_.pop_front();
      lock.unlock();
      terminal_.Write(fd, bytes);
      lock.lock();
    }
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::pair<int, std::string>> pieces_;
  bool ended_ = false;
  TerminalOutput terminal_;
  std::jthread writer_{[this] { WriteAll(); }};
};

// It is read to its end before anything runs, because it may be code, which is judged. Whoever has
// passed on a pipe that nobody writes to should not have to guess what is being waited for.
void TellOfSilence() {
  pollfd input{STDIN_FILENO, POLLIN, 0};
  if (::poll(&input, 1, 2000) != 0) return;
  std::fputs(
      "belljar: waiting for standard input to end; if the program needs none, add < /dev/null\n",
      stderr);
}

// The caller's standard input, when it is a pipe or a file: a terminal is left alone.
Result<std::string> CallersInput(const RunFlags& flags, const policy::Request& request) {
  if (!request.stdin_bytes.empty() || !flags.stdin_file.empty() || ::isatty(0) == 1) {
    return request.stdin_bytes;
  }
  const Fd input(::fcntl(0, F_DUPFD_CLOEXEC, 3));
  if (!input) return std::string();  // closed
  TellOfSilence();
  return ReadAll(input, policy::kMaxStdinBytes, "standard input");
}

// The daemon that is to run this; nothing: it is run here.
Result<std::optional<DaemonLink>> DaemonFor(const RunFlags& flags, const policy::Request& request) {
  const bool in_session = !flags.session.empty();
  if (!flags.switch_off.empty() && !in_session) return std::optional<DaemonLink>();
  std::optional<DaemonLink> daemon;
  if (in_session) {
    daemon = BJ_TRY(DaemonLink::Need(flags.daemon, "--session"));
  } else {
    daemon = BJ_TRY(DaemonLink::Find(flags.daemon));
  }
  if (!daemon) return daemon;
  const std::string why_not = WhyNotThere(flags, request);
  if (why_not.empty()) return daemon;
  if (!in_session && !daemon->named()) return std::optional<DaemonLink>();
  return Error(Kind::kInvalid, why_not + ": run it here, with --no-daemon and without --session");
}

// Opened only for what needs a person: most requests do not, and would wait for a database.
class Person {
 public:
  Result<> Ask(const RunFlags& flags, const policy::Request& request, engine::Engine& engine,
               engine::RunHooks& hooks) {
    const auto decision = BJ_TRY(engine.assessment().Decide(request));
    const auto terms = BJ_TRY(engine.assessment().PolicyFor(request));
    const bool by_tools = std::ranges::any_of(
        terms->tools, [](const auto& server) { return !server.second.ask.empty(); });
    const bool by_databases = std::ranges::any_of(terms->databases, [](const auto& database) {
      return database.second.write == policy::DatabaseWrites::kAsk;
    });
    if (decision.action != policy::Action::kReview && !by_tools && !by_databases) return {};
    opened_ = BJ_TRY(OpenQuestions(flags.daemon.state));
    engine.asking().Use(*opened_->approvals);
    hooks.origin.caller = MyName();
    if (!flags.wait.empty()) hooks.answer_within = BJ_TRY(policy::ParseDuration(flags.wait));
    if (flags.json || !AtTerminal()) return {};
    hooks.answer_within = std::max<std::chrono::milliseconds>(hooks.answer_within, 1s);
    hooks.on_question = [this](const approval::Question& question) { Answer(question); };
    return {};
  }

 private:
  // Whoever sits at the terminal is the person to ask.
  void Answer(const approval::Question& question) {
    approval::Approval approval;
    approval.approver = {MyName(), engine::Asking::OwnOf(question)};
    approval.digest = question.digest;
    approval.note = "at the terminal";
    if (AgreesAtTerminal(question)) {
      static_cast<void>(opened_->approvals->Approve(question.id, approval));
    } else {
      static_cast<void>(opened_->approvals->Deny(question.id, MyName(), approval.note));
    }
  }

  std::optional<OpenedQuestions> opened_;
};

Result<int> RunHere(const RunFlags& flags, const policy::Request& request, const StartHere& start) {
  // The few threads of a single run do not get in each other's way, and a heap of its own for each
  // would have to grow page by page.
  ::mallopt(M_ARENA_MAX, 1);
  Person person;
  auto engine = BJ_TRY(OpenEngine(flags, 0));
  engine->Begin(request);
  std::optional<Cancellation> cancel(BJ_TRY(Cancellation::OnSignals()));
  engine::RunHooks hooks;
  hooks.cancel[monitor::kByCaller] = cancel->fd();
  OutputQueue output;
  if (!flags.json) {
    hooks.on_output = [&](result::Stream stream, std::string_view bytes) {
      output.Push(stream == result::Stream::kStdout ? 1 : 2, bytes);
    };
  }
  BJ_TRY(person.Ask(flags, request, *engine, hooks));
  auto result = start ? start(*engine, request, hooks) : engine->Run(request, hooks);
  cancel.reset();  // there is nothing left to cancel but the writing
  output.Finish();
  if (!result) return std::move(result).error();
  if (flags.json) PrintObject(ToJson(*result));
  const int status = ShowEnding(flags, *result, request.limits);
  BJ_TRY(output.Written());
  return status;
}

Result<int> Run(const RunFlags& flags, policy::Request request, const StartHere& start) {
  // A skill has its input, and nothing else.
  if (flags.skill.empty()) request.stdin_bytes = BJ_TRY(CallersInput(flags, request));
  auto daemon = BJ_TRY(DaemonFor(flags, request));
  if (daemon) return RunThere(*std::move(daemon), flags, std::move(request));
  return RunHere(flags, request, start);
}

}  // namespace

int RunOnce(const RunFlags& flags, const policy::Request& request, const StartHere& start) {
  auto status = Run(flags, request, start);
  if (!status) return Fail(status.error());
  return *status;
}

}  // namespace belljar::cmd
