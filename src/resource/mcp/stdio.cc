#include "resource/mcp/stdio.h"

#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <array>
#include <future>

#include "foundation/base/safe_text.h"
#include "foundation/base/sys.h"

namespace belljar::resource::mcp {
namespace {

constexpr std::size_t kMaxLogLineBytes = 1'024;
constexpr std::chrono::seconds kAnswerPatience{1};
constexpr int kLookMs = 100;

// Blocks all signals in this thread; the main thread handles them.
void TakeNoSignals() {
  sigset_t all;
  ::sigfillset(&all);
  ::pthread_sigmask(SIG_SETMASK, &all, nullptr);
}

Error Gone() { return Error(Kind::kUnavailable, "the server has ended"); }

}  // namespace

Result<std::unique_ptr<Channel>> StdioChannel::Start(Command command, OnLog on_log) {
  std::unique_ptr<StdioChannel> channel(new StdioChannel(std::move(on_log)));
  const long event =
      BJ_TRY(Check("eventfd", "an MCP server", [] { return ::eventfd(0, EFD_CLOEXEC); }));
  channel->stopping_ = Fd(static_cast<int>(event));
  // Shared ownership: the constructing thread may be gone before this thread has finished setting
  // the value.
  const auto started = std::make_shared<std::promise<Result<>>>();
  const auto serve = [&channel = *channel, started, command = std::move(command)] {
    TakeNoSignals();
    try {
      channel.Serve(command, [&](Result<> result) { started->set_value(std::move(result)); });
    } catch (const std::exception& error) {  // out of memory
      Error failed(Kind::kUnavailable, std::string("the server has failed: ") + error.what());
      channel.Fail(failed);
      try {
        started->set_value(failed);
      } catch (const std::future_error&) {
        // The start had already been reported.
      }
    }
  };
  try {
    channel->thread_ = std::thread(serve);
  } catch (const std::system_error& error) {
    return Error(Kind::kExhausted, std::string("no thread for an MCP server: ") + error.what());
  }
  BJ_TRY(started->get_future().get());
  return std::unique_ptr<Channel>(std::move(channel));
}

StdioChannel::~StdioChannel() {
  const std::uint64_t one = 1;
  const ssize_t ignored = ::write(stopping_.get(), &one, sizeof(one));
  static_cast<void>(ignored);
  if (thread_.joinable()) thread_.join();
}

void StdioChannel::Serve(const Command& command, const std::function<void(Result<>)>& started) {
  auto child = Child::Start(command);
  if (!child) return started(child.error());
  input_ = child->input().get();
  started({});
  auto ended = ReadUntilStopped(*child);
  Fail(ended ? Gone() : std::move(ended).error());
  const std::lock_guard lock(write_mutex_);
  input_ = -1;  // before the descriptor is closed
}

Result<> StdioChannel::ReadUntilStopped(const Child& child) {
  std::array<pollfd, 4> polled{
      pollfd{child.output().get(), POLLIN, 0}, pollfd{child.errors().get(), POLLIN, 0},
      pollfd{stopping_.get(), POLLIN, 0}, pollfd{child.process().get(), POLLIN, 0}};
  std::vector<char> chunk(64U << 10);
  LineReader lines(kMaxMessageBytes);
  for (;;) {
    BJ_TRY(
        Check("poll", "an MCP server", [&] { return ::poll(polled.data(), polled.size(), -1); }));
    if (polled[2].revents != 0) return {};
    if (polled[1].revents != 0) {
      const ssize_t n = ::read(polled[1].fd, chunk.data(), chunk.size());
      if (n <= 0) polled[1].fd = -1;
      if (n > 0) HearErrors({chunk.data(), static_cast<std::size_t>(n)});
    }
    // Output written before the program exited is still read. If other processes hold the pipe
    // open, they are not waited for.
    if (polled[0].revents == 0 && polled[3].revents != 0) return {};
    if (polled[0].revents == 0) continue;
    const ssize_t n = ::read(polled[0].fd, chunk.data(), chunk.size());
    if (n <= 0) return {};
    const auto heard = lines.Feed({chunk.data(), static_cast<std::size_t>(n)},
                                  [this](std::string_view line) { return Hear(line); });
    if (!heard)
      return Error(Kind::kUnavailable, "the server has failed: " + heard.error().message());
  }
}

bool StdioChannel::HandOver(std::uint64_t id, Result<Reply> reply) {
  const std::lock_guard lock(mutex_);
  const auto waiter = waiting_.find(id);
  if (waiter == waiting_.end() || waiter->second->reply) return false;
  waiter->second->reply.emplace(std::move(reply));
  waiter->second->answered.notify_one();
  return true;
}

Result<> StdioChannel::HearMalformed(std::string_view line, const Error& why) {
  HandOver(IdOfMalformed(line),
           Error(Kind::kInvalid, "the server's answer is malformed: " + why.message()));
  Log("wrote a line that is no message: " + why.message());
  if (++garbage_ > kMostGarbage) return why;
  return {};
}

Result<> StdioChannel::Hear(std::string_view line) {
  const auto message = ParseMessage(line);
  if (!message) return HearMalformed(line, message.error());
  if (const auto* answer = std::get_if<Answer>(&*message)) {
    if (HandOver(answer->id, answer->reply)) {
      unasked_ = garbage_ = 0;
      return {};
    }
  } else if (const auto* asked = std::get_if<Asked>(&*message)) {
    BJ_TRY(Write(AnswerTo(*asked), Clock::now() + kAnswerPatience));
  } else if (std::get<Told>(*message).method == "notifications/tools/list_changed") {
    list_changed_ = true;
  }
  if (++unasked_ > kMostUnasked) {
    return Error(Kind::kUnavailable, "it sends a flood of what nobody asked for");
  }
  return {};
}

void StdioChannel::HearErrors(std::string_view bytes) {
  for (const char c : bytes) {
    if (c != '\n') error_line_ += c;
    if (c != '\n' && error_line_.size() < kMaxLogLineBytes) continue;
    Log(error_line_);
    error_line_.clear();
  }
}

void StdioChannel::Log(std::string_view line) {
  const auto now = Clock::now();
  if (now - logged_since_ > std::chrono::minutes(1)) {
    logged_since_ = now;
    logged_ = 0;
  }
  if (line.empty() || !on_log_ || ++logged_ > kMostLogged) return;
  on_log_(MakeVisible(line));
}

// A line that was begun must be completed: if the server does not read all of it in time, the
// channel fails.
Result<> StdioChannel::Write(std::string text, Clock::time_point deadline) {
  text += '\n';
  const std::unique_lock lock(write_mutex_, deadline);
  if (!lock) return Error(Kind::kExhausted, "the server takes no more requests");
  std::string_view rest = text;
  while (!rest.empty()) {
    if (input_ < 0 || failure()) return Gone();
    const ssize_t n = ::write(input_, rest.data(), rest.size());
    if (n > 0) rest.remove_prefix(static_cast<std::size_t>(n));
    if (n >= 0 || errno == EINTR) continue;
    if (errno != EAGAIN) return Gone();
    if (Clock::now() >= deadline) {
      Error stuck(Kind::kExhausted, "the server does not read what it is sent");
      if (rest.size() < text.size()) Fail(stuck);
      return stuck;
    }
    pollfd room{input_, POLLOUT, 0};
    ::poll(&room, 1, kLookMs);
  }
  return {};
}

Result<Reply> StdioChannel::Ask(std::string_view method, const json::object& params,
                                const Patience& patience) {
  Waiter waiter;
  std::uint64_t id = 0;
  {
    const std::lock_guard lock(mutex_);
    if (failure_) return *failure_;
    id = next_id_++;
    waiting_[id] = &waiter;
  }
  const auto written = Write(RequestText(id, method, params), patience.deadline);
  if (!written) {
    const std::lock_guard lock(mutex_);
    waiting_.erase(id);
    return written.error();
  }
  return Await(id, waiter, patience);
}

Result<Reply> StdioChannel::Await(std::uint64_t id, Waiter& waiter, const Patience& patience) {
  {
    std::unique_lock lock(mutex_);
    waiter.answered.wait_until(lock, patience.stop, patience.deadline,
                               [&] { return waiter.reply || failure_; });
    waiting_.erase(id);
    if (waiter.reply) return *std::move(waiter.reply);
    if (failure_) return *failure_;
  }
  // Best effort: a server that does not read its input is not waited for.
  static_cast<void>(
      Tell("notifications/cancelled", {{"requestId", id}, {"reason", "nobody waits"}}));
  if (patience.stop.stop_requested()) return Error(Kind::kDenied, "the call was given up");
  return Error(Kind::kExhausted, "the server did not answer in time");
}

Result<> StdioChannel::Tell(std::string_view method, const json::object& params) {
  return Write(NotificationText(method, params), Clock::now() + kAnswerPatience);
}

std::optional<Error> StdioChannel::failure() {
  const std::lock_guard lock(mutex_);
  return failure_;
}

void StdioChannel::Fail(Error error) {
  const std::lock_guard lock(mutex_);
  if (!failure_) failure_ = std::move(error);
  for (const auto& [id, waiter] : waiting_) waiter->answered.notify_all();
  // Wakes the thread, which ends the program.
  const std::uint64_t one = 1;
  const ssize_t ignored = ::write(stopping_.get(), &one, sizeof(one));
  static_cast<void>(ignored);
}

}  // namespace belljar::resource::mcp
