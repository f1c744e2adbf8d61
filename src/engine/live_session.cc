#include "engine/live_session.h"

#include <fmt/format.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <chrono>

#include "base/sys.h"
#include "engine/supervise.h"
#include "engine/tools.h"
#include "guest/environment.h"
#include "session/cell_meter.h"

namespace belljar::engine {
namespace {

using Clock = std::chrono::steady_clock;
using Variables = std::map<std::string, std::string>;
constexpr std::chrono::seconds kReadyDeadline{20};

const char* CellSuffix(policy::Lang lang) {
  switch (lang) {
    case policy::Lang::kPython:
      return "py";
    case policy::Lang::kJavaScript:
    case policy::Lang::kTypeScript:
      return "js";
    case policy::Lang::kBash:
      return "sh";
  }
  return "txt";
}

}  // namespace

LiveSession::LiveSession(session::PreparedCell prepared, const policy::Request& shape)
    : prepared_(std::move(prepared)),
      lang_(shape.lang),
      backend_(shape.backend.value_or(policy::BackendKind::kNative)),
      memory_limit_(shape.limits.memory_bytes) {}

Result<std::unique_ptr<LiveSession>> LiveSession::Begin(session::PreparedCell prepared,
                                                        const policy::Request& shape,
                                                        const monitor::CgroupSupport& support,
                                                        std::shared_ptr<Network> network) {
  std::unique_ptr<LiveSession> live(new LiveSession(std::move(prepared), shape));
  live->meter_ = BJ_TRY(session::MeterFor(live->prepared_, support, shape.limits));
  guest::SessionMessage message;
  message.lang = LanguageOf(shape.lang);
  message.env =
      GuestEnvironment(shape, *live->prepared_.cell, network ? network->env() : Variables());
  live->network_ = std::move(network);
  const Fd& control = live->prepared_.cell->control();
  BJ_TRY(WriteAll(control, guest::EncodeSession(message), "the session to the guest"));
  BJ_TRY(live->AwaitReady().While("start session"));
  BJ_TRY(SetNonBlocking(control));
  live->size_when_empty_ = result::SizeWhenEmpty(live->workspace());
  return live;
}

Result<> LiveSession::AwaitReady() {
  return ReadUntil([this] { return dialogue_.ready(); }, "ready");
}

// What the guest says besides is a violation of the protocol, or an event that `done` sees.
Result<> LiveSession::ReadUntil(const std::function<bool()>& done, std::string_view what) {
  const auto deadline = Clock::now() + kReadyDeadline;
  const Fd& control = prepared_.cell->control();
  std::array<char, 4096> chunk;
  while (!done()) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - Clock::now());
    if (left.count() <= 0 || !BJ_TRY(WaitReadable(control, left))) {
      return Error(Kind::kUnavailable, fmt::format("the guest was not {} in time", what));
    }
    const long n = BJ_TRY(Check("read", "the guest's answer",
                                [&] { return ::read(control.get(), chunk.data(), chunk.size()); }));
    if (n == 0) return session::EndedEarly(prepared_, fmt::format("it was {}", what));
    dialogue_.Append({chunk.data(), static_cast<std::size_t>(n)});
    const auto event = BJ_TRY(dialogue_.Next());
    if (event) answer_ = *event;
  }
  return {};
}

bool LiveSession::HasGone() const {
  pollfd guest{prepared_.cell->ended().get(), POLLIN, 0};
  return ::poll(&guest, 1, 0) > 0;
}

bool LiveSession::Hear(std::string_view bytes, Observed& seen) {
  dialogue_.Append(bytes);
  for (;;) {
    auto event = dialogue_.Next();
    if (!event) return false;
    if (!*event) return true;
    if (auto* error = std::get_if<guest::GuestError>(&**event)) {
      seen.report.error = std::move(*error);
    } else if (auto* display = std::get_if<guest::Display>(&**event)) {
      seen.displays.push_back(std::move(*display));
    } else if (auto* quota = std::get_if<guest::QuotaReached>(&**event)) {
      seen.report.quota = quota->limit;
    } else if (auto* done = std::get_if<guest::StatementDone>(&**event)) {
      seen.report.file_operations = done->file_operations;
      seen.report.refusals = done->refusals;
      seen.said_exit_code =
          done->exit_code.value_or(done->status == guest::StatementStatus::kOk ? 0 : 1);
      leaving_ = done->status == guest::StatementStatus::kExit;
    }
  }
}

Result<> LiveSession::WatchRun(const Run& run, monitor::Meter& meter, Observed& seen) {
  isolate::Cell& cell = *prepared_.cell;
  monitor::Handlers handlers = CaptureInto(seen, run, cell);
  handlers.on_control = [&](std::string_view bytes) { return Hear(bytes, seen); };
  // A program that asked for its end is waited for, as any other.
  handlers.done = [&] { return !dialogue_.running() && !leaving_; };
  Fd no_stdin;  // what a run reads came with it
  const monitor::Subject subject{
      cell.ended(), cell.control(),        cell.stdout_pipe(),   cell.stderr_pipe(), no_stdin,
      {},           ForkDenied(prepared_), run.requester.cancel, GraceIn(cell)};
  seen.end = BJ_TRY(monitor::Watch(subject, run.request.limits, meter, handlers));
  BJ_TRY(EndCalls(run, seen));
  monitor::Drain(cell.stdout_pipe(), handlers.on_stdout);
  monitor::Drain(cell.stderr_pipe(), handlers.on_stderr);
  FinishOutput(seen, run);
  return {};
}

Result<Observed> LiveSession::Execute(const Run& run) {
  const policy::Request& request = run.request;
  Observed seen(request.limits, run.redactor, request.text);
  if (prepared_.group) BJ_TRY(prepared_.group->ShareCpu(run.requester.caller_share));
  monitor::SinceMeter meter(*meter_, BJ_TRY(meter_->ReadSums()));
  guest::StatementMessage message;
  message.n = ++runs_;
  message.code = request.code;
  message.name = fmt::format("cell-{}.{}", runs_, CellSuffix(lang_));
  message.args = request.args;
  if (!request.stdin_bytes.empty()) message.stdin_text = request.stdin_bytes;
  message.file_operations = request.limits.file_operations;
  message.guard = run.guard;
  message.same_guard = run.guard == sent_guard_;
  BJ_TRY(dialogue_.Begin(message.n));
  BJ_TRY(Send(guest::EncodeStatement(message)));
  sent_guard_ = run.guard;
  BJ_TRY(WatchRun(run, meter, seen));
  seen.reading = BJ_TRY(meter.Read());
  const bool ended = seen.end.exit_code || seen.end.signal;
  if (ended || leaving_) alive_ = false;
  if (!ended) seen.end.exit_code = seen.said_exit_code;
  return seen;
}

// The guest reads what it is sent between two runs only, so a large message may have to wait for a
// guest that is slow to take it; one that takes nothing is as good as gone.
Result<> LiveSession::Send(std::string_view bytes) {
  const Fd& control = prepared_.cell->control();
  const auto deadline = Clock::now() + kReadyDeadline;
  while (!bytes.empty()) {
    const ssize_t n = ::send(control.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (n >= 0) {
      bytes.remove_prefix(static_cast<std::size_t>(n));
      continue;
    }
    if (errno == EINTR) continue;
    if (errno == EPIPE || errno == ECONNRESET) return {};  // judged like one that goes later
    if (errno != EAGAIN) return SysError("send", "the run to the guest", errno);
    pollfd room{control.get(), POLLOUT, 0};
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - Clock::now());
    if (left.count() <= 0 || ::poll(&room, 1, static_cast<int>(left.count())) == 0) {
      return Error(Kind::kUnavailable, "the session's program does not take its next run");
    }
  }
  return {};
}

}  // namespace belljar::engine
