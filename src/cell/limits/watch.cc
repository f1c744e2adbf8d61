#include "cell/limits/watch.h"

#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <span>

#include "foundation/base/scratch.h"
#include "foundation/base/sys.h"

namespace belljar::cell::limits {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

constexpr std::size_t kChunk = 65536;
constexpr std::size_t kLargestPipe = 1 << 20;
// A session's guest ignores an interrupt that arrives before it has begun the run, because it takes
// it for one between two runs; so the interrupt is repeated.
constexpr milliseconds kInterruptAgain{100};
// Output that arrives in small pieces is batched: a wakeup per piece costs both sides more than the
// piece. The pipe buffers the output in between, and events that end the run are still seen at
// once.
constexpr milliseconds kOutputRest{1};

enum Slot { kEnded, kControl, kStdout, kStderr, kStdin, kForkDenied, kFirstCancel };
constexpr std::size_t kSlots = kFirstCancel + std::tuple_size_v<CancelledBy>;

std::span<char> Scratch() { return ThreadScratch<struct OfWatch, kChunk>(); }

class Watcher {
 public:
  Watcher(const Subject& subject, const request::Limits& limits, Meter& meter,
          const Handlers& handlers)
      : subject_(subject), limits_(limits), meter_(meter), handlers_(handlers) {
    polled_[kEnded] = {subject.ended.get(), POLLIN, 0};
    polled_[kControl] = {subject.control.get(), POLLIN, 0};
    polled_[kStdout] = {-1, POLLIN, 0};
    polled_[kStderr] = {-1, POLLIN, 0};
    polled_[kStdin] = {-1, POLLOUT, 0};
    polled_[kForkDenied] = {subject.fork_denied != nullptr ? subject.fork_denied->get() : -1,
                            POLLPRI, 0};
    for (std::size_t i = 0; i < subject.cancel.size(); ++i) {
      polled_[kFirstCancel + i] = {subject.cancel[i], POLLIN, 0};
    }
  }

  Result<WatchEnd> Run() {
    FeedStdin();
    if (handlers_.on_started) handlers_.on_started();
    while (!ended_) {
      BJ_TRY(Wait());
      const auto now = Clock::now();
      ReadStreams();
      if (handlers_.done && handlers_.done()) break;
      if (HasSaidHow()) break;
      if ((polled_[kEnded].revents & POLLIN) != 0) BJ_TRY(Reap());
      if (!ended_) BJ_TRY(CheckLimits(now));
    }
    end_.wall = std::chrono::duration_cast<std::chrono::microseconds>(Clock::now() - start_);
    return end_;
  }

 private:
  Result<> Wait() {
    const auto now = Clock::now();
    const bool rests = now < output_rests_until_;
    polled_[kStdout].fd = rests ? -1 : stdout_;
    polled_[kStderr].fd = rests ? -1 : stderr_;
    const auto ends = interrupted_at_ ? *interrupted_at_ + subject_.grace : WallEnd();
    const auto until = std::min({next_look_, next_interrupt_, ends});
    const auto left = std::chrono::ceil<milliseconds>(
        (rests ? std::min(until, output_rests_until_) : until) - now);
    const int timeout = static_cast<int>(std::clamp<std::int64_t>(left.count(), 0, 60'000));
    const auto woken =
        Check("poll", "the run", [&] { return ::poll(polled_.data(), kSlots, timeout); });
    if (woken) return {};
    // EINVAL: more descriptors than RLIMIT_NOFILE now allows.
    const int failure = woken.error().sys();
    return SysError("poll", "the run", failure == EINVAL ? EMFILE : failure);
  }

  // The end of the wall clock; moves on while the run waits for a human.
  Clock::time_point WallEnd() const {
    const auto end = start_ + limits_.wall;
    return handlers_.waited ? end + handlers_.waited() : end;
  }

  // Reads available bytes if `polled` has an event; a closed stream becomes -1.
  void ReadStream(const pollfd& polled, int& stream,
                  const std::function<bool(std::string_view)>& handler, Cause cause) {
    if (polled.revents == 0) return;
    const ssize_t n = ::read(stream, chunk_.data(), chunk_.size());
    if (n < 0 && (errno == EAGAIN || errno == EINTR)) return;
    if (n <= 0) {
      stream = -1;
      return;
    }
    const bool small = static_cast<std::size_t>(n) < chunk_.size();
    if (cause == Cause::kOutput && small) output_rests_until_ = Clock::now() + kOutputRest;
    if (!handler({chunk_.data(), static_cast<std::size_t>(n)})) EndFor(cause);
  }

  // A guest that outlives its runs is not killed for too much output: the run is interrupted as at
  // the end of its time, and the rest of its output is dropped.
  void EndFor(Cause cause) {
    if (cause != Cause::kOutput || !handlers_.done) return KillFor(cause);
    if (!handlers_.done()) InterruptFor(cause, Clock::now());
  }

  void ReadStreams() {
    ReadStream(polled_[kControl], polled_[kControl].fd, handlers_.on_control, Cause::kProtocol);
    ReadStream(polled_[kStdout], stdout_, handlers_.on_stdout, Cause::kOutput);
    ReadStream(polled_[kStderr], stderr_, handlers_.on_stderr, Cause::kOutput);
    if (polled_[kStdin].revents != 0) FeedStdin();
  }

  // Writes as much input as the pipe takes, and closes it after the last byte.
  void FeedStdin() {
    while (!input_.empty()) {
      const ssize_t n = ::write(subject_.stdin_pipe.get(), input_.data(), input_.size());
      if (n < 0 && errno == EAGAIN) {
        polled_[kStdin].fd = subject_.stdin_pipe.get();
        return;
      }
      if (n < 0) break;  // the read end is closed
      input_.remove_prefix(static_cast<std::size_t>(n));
    }
    polled_[kStdin].fd = -1;
    subject_.stdin_pipe.Close();
  }

  bool HasSaidHow() {
    const auto ending = handlers_.last_word ? handlers_.last_word() : std::nullopt;
    if (ending) static_cast<Ending&>(end_) = *ending;
    return ending.has_value();
  }

  Result<> Reap() {
    static_cast<Ending&>(end_) = BJ_TRY(handlers_.reap());
    ended_ = true;
    // A caller that cancels may also have killed the cell before the watch saw the request.
    if (end_.cause == Cause::kItself && end_.signal && IsCancelled()) {
      end_.cause = IsStopped() ? Cause::kStopped : Cause::kCancelled;
    }
    return {};
  }

  Result<> CheckLimits(Clock::time_point now) {
    if ((polled_[kForkDenied].revents & POLLPRI) != 0 && BJ_TRY(meter_.Read()).forks_denied > 0) {
      KillFor(Cause::kProcesses);
    }
    if (IsCancelled()) InterruptFor(IsStopped() ? Cause::kStopped : Cause::kCancelled, now);
    if (now >= WallEnd()) InterruptFor(Cause::kWall, now);
    if (interrupted_at_ && now >= *interrupted_at_ + subject_.grace) KillFor(end_.cause);
    if (now >= next_interrupt_) InterruptAgain(now);
    if (now >= next_look_) BJ_TRY(Look(now));
    return {};
  }

  bool IsCancelled() const {
    return std::ranges::any_of(std::span(polled_).subspan(kFirstCancel),
                               [](const pollfd& cancel) { return cancel.revents != 0; });
  }

  bool IsStopped() const { return std::span(polled_).subspan(kFirstCancel)[kByStop].revents != 0; }

  Result<> Look(Clock::time_point now) {
    next_look_ = now + meter_.interval();
    const Reading reading = BJ_TRY(meter_.Read());
    if (reading.oom_kills > 0 || reading.memory_peak_bytes > limits_.memory_bytes) {
      KillFor(Cause::kMemory);
    } else if (reading.forks_denied > 0) {
      KillFor(Cause::kProcesses);
    } else if (reading.cpu_us.value_or(0) / 1000 >=
               static_cast<std::uint64_t>(limits_.cpu_time.count())) {
      InterruptFor(Cause::kCpu, now);
    }
    return {};
  }

  void InterruptFor(Cause cause, Clock::time_point now) {
    for (pollfd& cancel : std::span(polled_).subspan(kFirstCancel)) cancel.fd = -1;
    if (interrupted_at_ || killed_) return;
    if (end_.cause == Cause::kItself) end_.cause = cause;
    interrupted_at_ = now;
    handlers_.interrupt();
    if (handlers_.done) next_interrupt_ = now + kInterruptAgain;
  }

  void InterruptAgain(Clock::time_point now) {
    next_interrupt_ = killed_ ? Clock::time_point::max() : now + kInterruptAgain;
    if (!killed_) handlers_.interrupt();
  }

  void KillFor(Cause cause) {
    if (end_.cause == Cause::kItself) end_.cause = cause;
    if (killed_) return;
    killed_ = true;
    handlers_.kill();
  }

  const Subject& subject_;
  const request::Limits& limits_;
  Meter& meter_;
  const Handlers& handlers_;
  std::string_view input_ = subject_.input;
  std::array<pollfd, kSlots> polled_{};
  std::span<char> chunk_ = Scratch();
  int stdout_ = subject_.stdout_pipe.get();  // -1 once it is closed
  int stderr_ = subject_.stderr_pipe.get();
  Clock::time_point output_rests_until_{};
  const Clock::time_point start_ = Clock::now();
  Clock::time_point next_look_ = start_ + meter_.interval();
  std::optional<Clock::time_point> interrupted_at_;
  Clock::time_point next_interrupt_ = Clock::time_point::max();
  bool killed_ = false;
  bool ended_ = false;
  WatchEnd end_;
};

}  // namespace

Result<WatchEnd> Watch(const Subject& subject, const request::Limits& limits, Meter& meter,
                       const Handlers& handlers) {
  return Watcher(subject, limits, meter, handlers).Run();
}

void Drain(const Fd& pipe, const std::function<bool(std::string_view)>& on_bytes) {
  const std::span<char> chunk = Scratch();
  bool wanted = true;
  std::size_t dropped = 0;
  while (dropped < kLargestPipe) {
    const ssize_t n = ::read(pipe.get(), chunk.data(), chunk.size());
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return;
    if (!wanted) dropped += static_cast<std::size_t>(n);
    wanted = wanted && on_bytes({chunk.data(), static_cast<std::size_t>(n)});
  }
}

}  // namespace belljar::cell::limits
