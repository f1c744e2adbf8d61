#include "cell/oci/host/container_channels.h"

#include <errno.h>
#include <unistd.h>

#include "cell/oci/host/hidden_listener.h"
#include "foundation/base/scratch.h"

namespace belljar::cell::oci {
namespace {

// The bound on buffered data: output of the guest that has not been read, and input that the guest
// has not taken.
constexpr std::size_t kMostWaiting = 1 << 20;
// Room above that for control pieces about connections, which are always sent. A shim that reads
// while it writes causes far less of them.
constexpr std::size_t kMostWords = 512 << 10;

enum Slot { kIn, kOut, kControl, kStdin, kStdout, kStderr, kSlots };

// One buffer per thread, so all containers of a relay share it.
std::span<char> Scratch() { return ThreadScratch<struct OfCarried, kMaxPiece>(); }

}  // namespace

Carried::Carried(Parts parts)
    : parts_(std::move(parts)),
      reader_(parts_.framing),
      crossings_(Crossings::End::kOutside,
                 {[this](Channel channel, std::string_view payload) { Send(channel, payload); },
                  [this] { return HasRoom(); }}) {}

void Carried::Outlet::Write(Fd& fd) {
  while (fd && !bytes.empty()) {
    const ssize_t n = ::write(fd.get(), bytes.data(), bytes.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0 && errno == EAGAIN) return;
    if (n < 0) fd.Close();  // the reading end is closed
    bytes.erase(0, n < 0 ? bytes.size() : static_cast<std::size_t>(n));
  }
  if (!fd) bytes.clear();
}

bool Carried::Full() const {
  return to_control_.bytes.size() + to_stdout_.bytes.size() + to_stderr_.bytes.size() >
         kMostWaiting;
}

bool Carried::PrintsWait() const { return !to_stdout_.bytes.empty() || !to_stderr_.bytes.empty(); }

bool Carried::Empty() const {
  return to_control_.bytes.empty() && to_stdout_.bytes.empty() && to_stderr_.bytes.empty();
}

bool Carried::HasRoom() const { return to_stream_.bytes.size() < kMostWaiting; }

void Carried::AskSpeak(Unread first) {
  const std::lock_guard lock(mutex_);
  speak_ = std::move(first);
}

void Carried::SayWhatWasAsked() {
  for (; interrupts_.load() > 0; interrupts_.fetch_sub(1)) Send(Channel::kInterrupt, {});
  std::optional<Unread> first;
  {
    const std::lock_guard lock(mutex_);
    first = std::exchange(speak_, std::nullopt);
  }
  if (first) {
    to_stdout_.bytes.insert(0, first->out);
    to_stderr_.bytes.insert(0, first->err);
    Send(Channel::kSpeak, {});
  }
  while (hush_sent_ != hush_asked_.load()) {
    std::array<char, kNumberBytes> number;
    PutNumber(number.data(), ++hush_sent_);
    Send(Channel::kHush, {number.data(), number.size()});
  }
}

void Carried::Prepare(std::vector<pollfd>& polled) {
  SayWhatWasAsked();
  const bool room = HasRoom();
  std::array<pollfd, kSlots> slots;
  const auto want = [&](Slot slot, const Fd& fd, bool wanted, int events) {
    slots[slot] = {wanted && fd ? fd.get() : -1, static_cast<short>(events), 0};
  };
  const bool reads_control = room && !over_;
  const bool writes_control = !to_control_.bytes.empty() && !PrintsWait();
  want(kIn, parts_.in, !over_ && !Full(), POLLIN);
  want(kOut, parts_.out, !to_stream_.bytes.empty(), POLLOUT);
  want(kControl, parts_.control, reads_control || writes_control,
       (reads_control ? POLLIN : 0) | (writes_control ? POLLOUT : 0));
  want(kStdin, parts_.stdin_pipe, room && !over_ && stdin_may_flow_, POLLIN);
  want(kStdout, parts_.stdout_pipe, !to_stdout_.bytes.empty(), POLLOUT);
  want(kStderr, parts_.stderr_pipe, !to_stderr_.bytes.empty(), POLLOUT);
  polled.insert(polled.end(), slots.begin(), slots.end());
  crossings_.Prepare(polled);
}

void Carried::Serve(std::span<const pollfd> polled) {
  SayWhatWasAsked();  // goes before control data that the engine has written since
  crossings_.Serve(polled.subspan(kSlots));
  if (polled[kIn].revents != 0) ReadStream();
  if ((polled[kControl].revents & ~POLLOUT) != 0) ReadControl();
  if (polled[kStdin].revents != 0) ReadStdin();
  if (over_) crossings_.CloseAll();
  Connect();
  Flush();
}

// Once per turn and not per piece: a program that keeps opening and closing connections would
// otherwise cause a connect() for each.
void Carried::Connect() {
  crossings_.Connect([this](CellListener listener) {
    return ConnectBy(parts_.ways[static_cast<std::size_t>(listener)]);
  });
}

void Carried::Flush() {
  to_stream_.Write(parts_.out);
  to_stdout_.Write(parts_.stdout_pipe);
  to_stderr_.Write(parts_.stderr_pipe);
  // Control messages wait until the output that preceded them has been written.
  if (!PrintsWait()) to_control_.Write(parts_.control);
  if (hushed_.load() != hush_heard_ && !PrintsWait()) TellHushed();
  if (over_ && Empty()) TellEnd();
}

void Carried::Send(Channel channel, std::string_view payload) {
  std::array<char, kPieceHeader> header;
  PutPieceHeader(header.data(), payload.size(), channel);
  to_stream_.bytes.append(header.data(), header.size());
  to_stream_.bytes.append(payload);
}

void Carried::ReadStream() {
  const std::span<char> chunk = Scratch();
  const ssize_t n = ::read(parts_.in.get(), chunk.data(), chunk.size());
  if (n < 0 && (errno == EINTR || errno == EAGAIN)) return;
  const bool good = n > 0 && reader_.Feed({chunk.data(), static_cast<std::size_t>(n)},
                                          [this](Channel channel, std::string_view payload) {
                                            return Take(channel, payload);
                                          });
  if (good) return;
  over_ = true;
  // The stream ended without kEnded, so the runtime's own error output goes to stderr, where it is
  // looked for.
  to_stderr_.bytes += reader_.errors();
}

void Carried::ReadControl() {
  const std::span<char> chunk = Scratch();
  const ssize_t n = ::read(parts_.control.get(), chunk.data(), chunk.size());
  if (n < 0 && (errno == EINTR || errno == EAGAIN)) return;
  if (n <= 0) {
    parts_.control.Close();
    return;
  }
  Send(Channel::kToControl, {chunk.data(), static_cast<std::size_t>(n)});
}

// One piece at a time: the shim asks for the next when the guest has taken this one, so a program
// that does not read its stdin blocks nothing else of the stream.
void Carried::ReadStdin() {
  const std::span<char> chunk = Scratch();
  const ssize_t n = ::read(parts_.stdin_pipe.get(), chunk.data(), chunk.size());
  if (n < 0 && (errno == EINTR || errno == EAGAIN)) return;
  Send(Channel::kToStdin, {chunk.data(), n > 0 ? static_cast<std::size_t>(n) : 0});
  stdin_may_flow_ = false;
  if (n <= 0) parts_.stdin_pipe.Close();
}

Result<> Carried::Take(Channel channel, std::string_view payload) {
  if (over_) return Error(Kind::kInvalid, "the container spoke after its end");
  if (to_stream_.bytes.size() > kMostWaiting + kMostWords) {
    return Error(Kind::kInvalid, "the container asks and does not listen");
  }
  switch (channel) {
    case Channel::kFromControl:
      to_control_.bytes += payload;
      return {};
    case Channel::kFromStdout:
      to_stdout_.bytes += payload;
      return {};
    case Channel::kFromStderr:
      to_stderr_.bytes += payload;
      return {};
    case Channel::kStdinTaken:
      stdin_may_flow_ = true;
      return {};
    case Channel::kOpen:
      return TakeOpen(payload);
    case Channel::kHushed:
      return TakeHushed(payload);
    case Channel::kDataOut:
    case Channel::kTakenOut:
    case Channel::kCloseOut:
      return crossings_.Take(channel, payload);
    default:
      return TakeEnd(payload);
  }
}

Result<> Carried::TakeOpen(std::string_view payload) {
  const auto listener =
      payload.empty() ? kListenerCount : static_cast<std::uint8_t>(payload.back());
  if (listener >= kListenerCount || !parts_.ways[listener]) {
    return Error(Kind::kInvalid, "the container has no such door");
  }
  return crossings_.TakeOpen(payload);
}

// A late answer, to an earlier kHush that was given up, is valid as long as it was asked for.
Result<> Carried::TakeHushed(std::string_view payload) {
  const std::uint32_t number = payload.size() == kNumberBytes ? NumberAt(payload.data()) : 0;
  if (number <= hush_heard_ || number > hush_sent_) {
    return Error(Kind::kInvalid, "the container was not asked to be silent");
  }
  hush_heard_ = number;
  return {};
}

void Carried::TellHushed() {
  hushed_ = hush_heard_;
  const std::uint64_t one = 1;
  const ssize_t ignored = ::write(parts_.hushed.get(), &one, sizeof(one));
  static_cast<void>(ignored);
}

Result<> Carried::TakeEnd(std::string_view payload) {
  if (payload.size() != 2) return Error(Kind::kInvalid, "the container's end has no status");
  const int status = static_cast<std::uint8_t>(payload[1]);
  const std::lock_guard lock(mutex_);
  ending_ = payload[0] == static_cast<char>(kExited) ? Ending{status, {}} : Ending{{}, status};
  over_ = true;
  return {};
}

// The pipes are closed after the last byte, as the end of a guest would close them.
void Carried::TellEnd() {
  if (!parts_.ended) return;
  parts_.control.Close();
  parts_.stdout_pipe.Close();
  parts_.stderr_pipe.Close();
  {
    const std::lock_guard lock(mutex_);
    errors_ = reader_.errors();
  }
  const std::uint64_t one = 1;
  const ssize_t ignored = ::write(parts_.ended.get(), &one, sizeof(one));
  static_cast<void>(ignored);
  parts_.ended.Close();
}

Ending Carried::ending() const {
  const std::lock_guard lock(mutex_);
  return ending_;
}

std::string Carried::errors() const {
  const std::lock_guard lock(mutex_);
  return errors_;
}

}  // namespace belljar::cell::oci
