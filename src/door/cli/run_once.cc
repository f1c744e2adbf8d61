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

#include "door/cli/cancellation.h"
#include "door/cli/command.h"
#include "door/cli/ending.h"
#include "door/cli/questions.h"
#include "door/cli/remote_run.h"
#include "door/cli/terminal.h"
#include "foundation/base/sys.h"
#include "run/asking.h"

namespace belljar::door::cli {
namespace {

using namespace std::chrono_literals;

// Writes output on a thread of its own, so that a slow reader does not delay the run, whose clock
// goes on. The queue is bounded by the run's own output limit.
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

// Prints a notice if standard input has no data yet. It is read to its end before anything runs,
// because it may be code and is judged; with a pipe that never gets data, the user should know what
// the command waits for.
void TellOfSilence() {
  pollfd input{STDIN_FILENO, POLLIN, 0};
  if (::poll(&input, 1, 2000) != 0) return;
  std::fputs(
      "belljar: waiting for standard input to end; if the program needs none, add < /dev/null\n",
      stderr);
}

// Reads the caller's standard input if it is a pipe or a file, but not from a terminal.
Result<std::string> CallersInput(const RunFlags& flags, const request::Request& request) {
  if (!request.stdin_bytes.empty() || !flags.stdin_file.empty() || ::isatty(0) == 1) {
    return request.stdin_bytes;
  }
  const Fd input(::fcntl(0, F_DUPFD_CLOEXEC, 3));
  if (!input) return std::string();  // closed
  TellOfSilence();
  return ReadAll(input, request::kMaxStdinBytes, "standard input");
}

// The daemon to run the request; nullopt: run it in this process.
Result<std::optional<DaemonLink>> DaemonFor(const RunFlags& flags,
                                            const request::Request& request) {
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

// Asks the user at the terminal for the approval.
void AnswerAtTerminal(OpenedWhenAsked& questions, const judgement::approval::Question& question) {
  const auto store = questions.Open();
  if (!store) return;
  judgement::approval::Approval approval;
  approval.approver = {MyName(), run::Asking::OwnOf(question)};
  approval.digest = question.digest;
  approval.note = "at the terminal";
  if (AgreesAtTerminal(question)) {
    static_cast<void>((*store)->Approve(question.id, approval));
  } else {
    static_cast<void>((*store)->Deny(question.id, MyName(), approval.note));
  }
}

Result<run::Requester> RequesterHere(const RunFlags& flags, OpenedWhenAsked& questions) {
  run::Requester requester;
  if (!flags.wait.empty()) requester.answer_within = BJ_TRY(request::ParseDuration(flags.wait));
  if (flags.json || !AtTerminal()) return requester;
  requester.answer_within = std::max<std::chrono::milliseconds>(requester.answer_within, 1s);
  requester.observer.on_question = [&questions](const judgement::approval::Question& question) {
    AnswerAtTerminal(questions, question);
  };
  return requester;
}

Result<int> RunHere(const RunFlags& flags, request::Request request, const StartHere& start) {
  // One malloc arena: the few threads of a single run do not contend, and each further arena would
  // have to grow page by page.
  ::mallopt(M_ARENA_MAX, 1);
  OpenedWhenAsked questions(flags.daemon.state);
  run::Options options = BJ_TRY(EngineOptions(flags));
  options.build_ahead = true;
  options.approvals = &questions;
  const auto engine = BJ_TRY(run::Engine::Create(options, ProgressLine()));
  std::optional<Cancellation> cancel(BJ_TRY(Cancellation::OnSignals()));
  const request::Limits limits = request.limits;
  run::Requester requester = BJ_TRY(RequesterHere(flags, questions));
  run::Run run(std::move(request), std::move(requester));
  run.requester.cancel[cell::limits::kByCaller] = cancel->fd();
  OutputQueue output;
  if (!flags.json) {
    run.requester.observer.on_output = [&](run::Stream stream, std::string_view bytes) {
      output.Push(stream == run::Stream::kStdout ? 1 : 2, bytes);
    };
  }
  auto result = start ? start(*engine, run) : engine->Go(run);
  cancel.reset();  // from here a signal may end the process while it writes
  output.Finish();
  if (!result) return std::move(result).error();
  if (flags.json) PrintObject(AnswerJson(run, *result));
  const int status = ShowEnding(flags, *result, limits);
  BJ_TRY(output.Written());
  return status;
}

}  // namespace

Result<int> RunOnce(const RunFlags& flags, request::Request request, const StartHere& start) {
  // A skill takes its input only, no standard input.
  if (flags.skill.empty()) request.stdin_bytes = BJ_TRY(CallersInput(flags, request));
  auto daemon = BJ_TRY(DaemonFor(flags, request));
  if (daemon) return RunThere(*std::move(daemon), flags, std::move(request));
  return RunHere(flags, std::move(request), start);
}

}  // namespace belljar::door::cli
