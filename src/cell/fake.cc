#include "cell/fake.h"

#include <sys/socket.h>

#include "cell/guest/protocol/wire.h"
#include "foundation/base/sys.h"

namespace belljar::cell {
namespace {

std::string Hello() {
  return guest::EncodeFrame(guest::FrameType::kHello, R"({"v":1,"guest":"fake"})");
}

// Packets keep the parts of a script apart; the reader sees no other difference to a byte stream.
Result<> Speak(const Fd& control, const Fd& errors, FakeGuest guest) {
  const std::string hello = Hello();
  switch (guest) {
    case FakeGuest::kSaysHello:
      return WriteAll(control, hello, "hello");
    case FakeGuest::kSaysHelloInTwoParts:
      BJ_TRY(WriteAll(control, hello.substr(0, 3), "hello"));
      return WriteAll(control, hello.substr(3), "hello");
    case FakeGuest::kSaysGarbage:
      return WriteAll(control, "GET / HTTP/1.1\r\n\r\n", "garbage");
    case FakeGuest::kSaysMoreThanHello:
      return WriteAll(control, hello + hello, "two hellos");
    case FakeGuest::kDiesBeforeHello:
      return WriteAll(errors, "Fatal Python error", "last words");
    case FakeGuest::kIsNotStarted:
      break;
  }
  return Error(Kind::kUnavailable, "the fake backend was told to fail");
}

// Creates both ends of the cell's channels: the guest's and the caller's.
Result<FakeCell::Parts> MakeParts(FakeGuest guest) {
  auto control = BJ_TRY(MakeSocketPair(SOCK_SEQPACKET));
  auto input = BJ_TRY(MakePipe());
  auto output = BJ_TRY(MakePipe());
  auto errors = BJ_TRY(MakePipe());
  BJ_TRY(Speak(control.theirs, errors.write, guest));
  for (const Fd* end : {&input.write, &output.read, &errors.read}) BJ_TRY(SetNonBlocking(*end));
  FakeCell::Parts parts;
  if (guest != FakeGuest::kDiesBeforeHello) {
    for (Fd* end : {&control.theirs, &input.read, &output.write, &errors.write}) {
      parts.guest_ends.push_back(std::move(*end));
    }
  }
  parts.control = std::move(control.ours);
  parts.stdin_pipe = std::move(input.write);
  parts.stdout_pipe = std::move(output.read);
  parts.stderr_pipe = std::move(errors.read);
  return parts;
}

}  // namespace

void FakeBackend::Script(FakeGuest guest) {
  const std::lock_guard lock(mutex_);
  script_ = guest;
}

void FakeBackend::HoldOtherThreads() {
  const std::lock_guard lock(mutex_);
  only_ = std::this_thread::get_id();
}

void FakeBackend::Release() {
  const std::lock_guard lock(mutex_);
  only_.reset();
  changed_.notify_all();
}

void FakeBackend::EndGuests() {
  const std::lock_guard lock(mutex_);
  for (auto& [number, life] : cells_) life.Close();
}

Result<std::unique_ptr<Cell>> FakeBackend::Start(const CellSpec&, const Placement& placement) {
  std::unique_lock lock(mutex_);
  builders_.push_back(std::this_thread::get_id());
  placement_ = placement;
  changed_.notify_all();
  changed_.wait(lock, [&] { return !only_ || *only_ == std::this_thread::get_id(); });
  FakeCell::Parts parts = BJ_TRY(MakeParts(script_));
  auto life = BJ_TRY(MakePipe());
  parts.life = std::move(life.read);
  if (script_ == FakeGuest::kDiesBeforeHello) life.write.Close();
  const int number = next_++;
  cells_[number] = std::move(life.write);
  changed_.notify_all();
  return std::unique_ptr<Cell>(std::make_unique<FakeCell>(*this, number, std::move(parts)));
}

void FakeBackend::EndGuest(int number) {
  const std::lock_guard lock(mutex_);
  cells_[number].Close();
}

void FakeBackend::Remove(int number) {
  const std::lock_guard lock(mutex_);
  cells_.erase(number);
  changed_.notify_all();
}

std::size_t FakeBackend::started() const {
  const std::lock_guard lock(mutex_);
  return builders_.size();
}

std::size_t FakeBackend::alive() const {
  const std::lock_guard lock(mutex_);
  return cells_.size();
}

std::vector<std::thread::id> FakeBackend::builders() const {
  const std::lock_guard lock(mutex_);
  return builders_;
}

Placement FakeBackend::last_placement() const {
  const std::lock_guard lock(mutex_);
  return placement_;
}

void FakeBackend::AwaitStarted(std::size_t count) const {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return builders_.size() >= count; });
}

void FakeBackend::AwaitAlive(std::size_t count) const {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return cells_.size() == count; });
}

}  // namespace belljar::cell
