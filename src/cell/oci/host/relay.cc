#include "cell/oci/host/relay.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <vector>

#include "cell/oci/host/container_channels.h"
#include "cell/oci/host/hidden_listener.h"
#include "foundation/base/sys.h"

namespace belljar::cell::oci {
namespace {

Result<Fd> NewEvent(const char* what) {
  const long raw =
      BJ_TRY(Check("eventfd", what, [] { return ::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK); }));
  return Fd(static_cast<int>(raw));
}

Result<Fd> Another(const Fd& fd) {
  const long raw = BJ_TRY(Check("dup", "", [&] { return ::fcntl(fd.get(), F_DUPFD_CLOEXEC, 3); }));
  return Fd(static_cast<int>(raw));
}

// Both sides of a guest's channels: the ends that the engine holds, and those that the relay works
// on.
struct Channels {
  CarriedEnds ends;
  Carried::Parts parts;
};

Result<Channels> NewChannels() {
  Channels channels;
  auto control = BJ_TRY(MakeSocketPair(SOCK_STREAM));
  auto in = BJ_TRY(MakePipe());
  auto out = BJ_TRY(MakePipe());
  auto err = BJ_TRY(MakePipe());
  channels.ends.ended = BJ_TRY(NewEvent("the guest's end"));
  channels.parts.ended = BJ_TRY(Another(channels.ends.ended));
  channels.ends.hushed = BJ_TRY(NewEvent("the guest's silence"));
  channels.parts.hushed = BJ_TRY(Another(channels.ends.hushed));
  // The engine's end of the control channel blocks until the engine changes that, as for any guest.
  for (const Fd* end :
       {&control.theirs, &in.read, &in.write, &out.read, &out.write, &err.read, &err.write}) {
    BJ_TRY(SetNonBlocking(*end));
  }
  channels.ends.control = std::move(control.ours);
  channels.ends.stdin_pipe = std::move(in.write);
  channels.ends.stdout_pipe = std::move(out.read);
  channels.ends.stderr_pipe = std::move(err.read);
  channels.parts.control = std::move(control.theirs);
  channels.parts.stdin_pipe = std::move(in.read);
  channels.parts.stdout_pipe = std::move(out.write);
  channels.parts.stderr_pipe = std::move(err.write);
  return channels;
}

}  // namespace

std::string ListenerWord(const std::set<CellListener>& listeners) {
  std::string word = "-";
  for (const CellListener listener : listeners)
    word += kListenerLetters[static_cast<std::size_t>(listener)];
  return word;
}

Result<std::unique_ptr<Relay>> Relay::Create() {
  Fd wake = BJ_TRY(NewEvent("the relay"));
  return std::unique_ptr<Relay>(new Relay(std::move(wake)));
}

Relay::Relay(Fd wake) : wake_(std::move(wake)), thread_([this] { Run(); }) {}

Relay::~Relay() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  Wake();
  thread_.join();
}

void Relay::Wake() {
  const std::uint64_t one = 1;
  const ssize_t ignored = ::write(wake_.get(), &one, sizeof(one));
  static_cast<void>(ignored);
}

Result<std::unique_ptr<Relay::Line>> Relay::Add(Stream stream) {
  Channels channels = BJ_TRY(NewChannels());
  if (stream.errors != nullptr) *stream.errors = BJ_TRY(Another(channels.parts.stderr_pipe));
  BJ_TRY(SetNonBlocking(stream.in));
  BJ_TRY(SetNonBlocking(stream.out));
  channels.parts.in = std::move(stream.in);
  channels.parts.out = std::move(stream.out);
  channels.parts.framing = stream.framing;
  for (const CellListener listener : stream.listeners) {
    auto hidden = BJ_TRY(HideListener());
    channels.ends.listeners[static_cast<std::size_t>(listener)] = std::move(hidden.listener);
    channels.parts.ways[static_cast<std::size_t>(listener)] = std::move(hidden.way);
  }
  auto carried = std::make_shared<Carried>(std::move(channels.parts));
  int id = 0;
  {
    const std::lock_guard lock(mutex_);
    id = next_++;
    carried_[id] = carried;
  }
  Wake();
  return std::make_unique<Line>(*this, id, std::move(carried), std::move(channels.ends));
}

void Relay::Remove(int id) {
  {
    const std::lock_guard lock(mutex_);
    carried_.erase(id);
  }
  Wake();
}

void Relay::Run() {
  // A closed reading end is seen as an error of write(), not as SIGPIPE.
  sigset_t pipe;
  ::sigemptyset(&pipe);
  ::sigaddset(&pipe, SIGPIPE);
  ::pthread_sigmask(SIG_BLOCK, &pipe, nullptr);
  std::vector<std::shared_ptr<Carried>> all;
  std::vector<pollfd> polled;
  std::vector<std::size_t> places;  // where the entries of each begin in `polled`
  for (;;) {
    all.clear();
    {
      const std::lock_guard lock(mutex_);
      if (stopping_) return;
      for (const auto& [id, carried] : carried_) all.push_back(carried);
    }
    polled.assign(1, {wake_.get(), POLLIN, 0});
    places.clear();
    for (const auto& carried : all) {
      places.push_back(polled.size());
      carried->Prepare(polled);
    }
    places.push_back(polled.size());
    if (::poll(polled.data(), polled.size(), -1) < 0) continue;
    std::uint64_t woken = 0;
    if (polled[0].revents != 0 && ::read(wake_.get(), &woken, sizeof(woken)) < 0) continue;
    for (std::size_t i = 0; i < all.size(); ++i) {
      all[i]->Serve(std::span(polled).subspan(places[i], places[i + 1] - places[i]));
    }
  }
}

Relay::Line::Line(Relay& relay, int id, std::shared_ptr<Carried> carried, CarriedEnds ends)
    : relay_(relay), id_(id), carried_(std::move(carried)), ends_(std::move(ends)) {}

Relay::Line::~Line() { relay_.Remove(id_); }

void Relay::Line::Interrupt() {
  carried_->AskInterrupt();
  relay_.Wake();
}

bool Relay::Line::Drain(Unread& unread) {
  std::array<char, kMaxPiece> chunk;
  for (const auto& [pipe, into] :
       {std::pair{&ends_.stdout_pipe, &unread.out}, std::pair{&ends_.stderr_pipe, &unread.err}}) {
    for (;;) {
      const ssize_t n = ::read(pipe->get(), chunk.data(), chunk.size());
      if (n < 0 && errno == EINTR) continue;
      if (n <= 0) break;
      into->append(chunk.data(), static_cast<std::size_t>(n));
      if (unread.size() > kMostUnread) return false;
    }
  }
  return true;
}

Result<Unread> Relay::Line::Hush(std::chrono::milliseconds patience) {
  using std::chrono::steady_clock;
  const auto deadline = steady_clock::now() + patience;
  const std::uint32_t number = carried_->AskHush();
  relay_.Wake();
  Unread unread;
  for (;;) {
    // Read before Drain(): if true, the pipes hold all output.
    const bool hushed = carried_->hushed() == number;
    const bool fits = Drain(unread);
    if (hushed && fits) return unread;
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - steady_clock::now());
    std::array<pollfd, 4> polled{{{ends_.stdout_pipe.get(), POLLIN, 0},
                                  {ends_.stderr_pipe.get(), POLLIN, 0},
                                  {ends_.hushed.get(), POLLIN, 0},
                                  {ends_.ended.get(), POLLIN, 0}}};
    const int ready =
        fits && left.count() > 0 ? ::poll(polled.data(), 4, static_cast<int>(left.count())) : 0;
    if (ready < 0) continue;
    std::uint64_t woken = 0;
    if (polled[2].revents != 0 && ::read(ends_.hushed.get(), &woken, sizeof(woken)) < 0) continue;
    if (ready > 0 && polled[3].revents == 0) continue;
    if (polled[3].revents != 0) return Error(Kind::kInternal, "it has ended");
    Speak(std::move(unread));
    return Error(Kind::kInvalid, fits ? "it does not fall silent"
                                      : "it prints too much between its runs: run something that "
                                        "shows what it has printed, or end what prints");
  }
}

void Relay::Line::Speak(Unread first) {
  carried_->AskSpeak(std::move(first));
  relay_.Wake();
}

Ending Relay::Line::ending() const { return carried_->ending(); }
std::string Relay::Line::errors() const { return carried_->errors(); }

}  // namespace belljar::cell::oci
